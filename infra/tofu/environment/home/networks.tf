# The controller cuts the house off when this goes wrong: import what exists first (README.md), and read every plan.
resource "unifi_network" "this" {
  for_each = var.networks

  name              = each.key
  purpose           = each.value.purpose
  subnet            = each.value.subnet
  vlan              = each.value.vlan
  domain_name       = var.domain
  network_isolation = each.value.isolated
  internet_access   = true
  igmp_snooping     = true

  dhcp_server = {
    enabled     = true
    start       = each.value.dhcp_start
    stop        = each.value.dhcp_stop
    dns_enabled = true
    dns_servers = [split("/", each.value.subnet)[0]]
  }

  lifecycle {
    prevent_destroy = true
  }
}
