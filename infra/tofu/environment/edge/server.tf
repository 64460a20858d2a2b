resource "hcloud_server" "control_plane" {
  name        = "control-plane-1"
  server_type = var.server_type
  location    = var.location
  labels      = merge(local.labels, { role = "control-plane" })

  # The API wants an image, but the ISO boots first, and Talos then overwrites the disk.
  image = "debian-13"
  iso   = var.talos_iso

  # With the server, not after it: its Talos API is never open to the world.
  firewall_ids = [hcloud_firewall.control_plane.id, hcloud_firewall.gateway.id]

  delete_protection  = true
  rebuild_protection = true

  public_net {
    ipv4 = hcloud_primary_ip.control_plane["ipv4"].id
    ipv6 = hcloud_primary_ip.control_plane["ipv6"].id
  }

  network {
    subnet_id = hcloud_network_subnet.nodes.id
    ip        = var.network.control_plane_address
  }

  lifecycle {
    # The only etcd member of the cluster lives on this disk.
    prevent_destroy = true
    # Both matter at the first boot only. Another image would replace the server; the ISO is detached by hand once Talos
    # is on the disk (README.md), and must not come back, or the next boot may land in the installer.
    ignore_changes = [image, iso]
  }
}
