locals {
  everywhere = ["0.0.0.0/0", "::/0"]
}

# Whoever reaches the Talos API before the node has its configuration owns the node: only from the admins' addresses.
resource "hcloud_firewall" "control_plane" {
  name   = "control-plane"
  labels = local.labels

  rule {
    description = "Talos API"
    direction   = "in"
    protocol    = "tcp"
    port        = "50000"
    source_ips  = var.admin_cidrs
  }

  rule {
    description = "Kubernetes API"
    direction   = "in"
    protocol    = "tcp"
    port        = "6443"
    source_ips  = var.admin_cidrs
  }

  rule {
    description = "Ping and path MTU discovery"
    direction   = "in"
    protocol    = "icmp"
    source_ips  = local.everywhere
  }
}

resource "hcloud_firewall" "gateway" {
  name   = "gateway"
  labels = local.labels

  rule {
    description = "HTTP, which redirects to HTTPS"
    direction   = "in"
    protocol    = "tcp"
    port        = "80"
    source_ips  = local.everywhere
  }

  rule {
    description = "HTTPS"
    direction   = "in"
    protocol    = "tcp"
    port        = "443"
    source_ips  = local.everywhere
  }

  rule {
    description = "HTTP/3"
    direction   = "in"
    protocol    = "udp"
    port        = "443"
    source_ips  = local.everywhere
  }
}
