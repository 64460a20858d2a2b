locals {
  labels   = { environment = "demo" }
  quadlets = fileset("${path.module}/quadlets", "*.{container,network,volume}")

  user_data = templatefile("${path.module}/cloud-init.yaml.tftpl", {
    ssh_public_key = trimspace(var.ssh_public_key)
    quadlets       = { for name in local.quadlets : name => file("${path.module}/quadlets/${name}") }
    caddyfile      = file("${path.module}/quadlets/Caddyfile")
  })
}

resource "hcloud_ssh_key" "admin" {
  name       = "demo-admin"
  public_key = trimspace(var.ssh_public_key)
  labels     = local.labels
}

resource "hcloud_firewall" "demo" {
  name   = "demo"
  labels = local.labels

  rule {
    description = "SSH"
    direction   = "in"
    protocol    = "tcp"
    port        = "22"
    source_ips  = var.admin_cidrs
  }

  rule {
    description = "HTTP"
    direction   = "in"
    protocol    = "tcp"
    port        = "80"
    source_ips  = ["0.0.0.0/0", "::/0"]
  }

  rule {
    description = "Ping and path MTU discovery"
    direction   = "in"
    protocol    = "icmp"
    source_ips  = ["0.0.0.0/0", "::/0"]
  }
}

# Any change of cloud-init or a quadlet replaces the VM: it holds nothing that is worth keeping.
resource "hcloud_server" "demo" {
  name         = "demo"
  server_type  = var.server_type
  location     = var.location
  image        = "debian-13"
  labels       = local.labels
  ssh_keys     = [hcloud_ssh_key.admin.id]
  firewall_ids = [hcloud_firewall.demo.id]
  user_data    = local.user_data

  public_net {
    ipv4_enabled = true
    ipv6_enabled = true
  }

  lifecycle {
    precondition {
      condition     = length(local.user_data) <= 32768
      error_message = "Hetzner takes at most 32 KiB of user data: move something out of quadlets/."
    }
  }
}
