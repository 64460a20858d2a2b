resource "netbird_network" "this" {
  name        = var.name
  description = var.description
}

resource "netbird_network_resource" "this" {
  for_each = var.resources

  network_id  = netbird_network.this.id
  name        = each.key
  description = each.value.description
  address     = each.value.address
  groups      = each.value.groups
  enabled     = each.value.enabled
}

resource "netbird_network_router" "this" {
  network_id  = netbird_network.this.id
  peer_groups = sort(var.routing_groups)
  masquerade  = var.masquerade
  metric      = var.metric
  enabled     = true
}
