locals {
  labels = { environment = "edge", cluster = "edge" }
}

resource "hcloud_network" "edge" {
  name              = "edge"
  ip_range          = var.network.ip_range
  delete_protection = true
  labels            = local.labels
}

resource "hcloud_network_subnet" "nodes" {
  network_id   = hcloud_network.edge.id
  type         = "cloud"
  network_zone = "eu-central"
  ip_range     = var.network.subnet
}

# Addresses of their own, which outlive the server: topf.yaml and public DNS name them.
resource "hcloud_primary_ip" "control_plane" {
  for_each = toset(["ipv4", "ipv6"])

  name              = "control-plane-1-${each.key}"
  type              = each.key
  location          = var.location
  auto_delete       = false
  delete_protection = true
  labels            = local.labels

  lifecycle {
    prevent_destroy = true
  }
}
