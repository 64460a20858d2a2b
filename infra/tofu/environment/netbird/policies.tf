# A new NetBird account has a policy "Default" that lets everyone reach everything. These take its place: see README.md.
locals {
  policies = {
    admins-to-servers = {
      description  = "People who run the platform reach every host in the server network."
      sources      = ["admins"]
      destinations = ["servers", "services", "hypervisors"]
      protocol     = "all"
      ports        = []
    }
    family-to-services = {
      description  = "People who use the platform reach what apps offer, and nothing else."
      sources      = ["family"]
      destinations = ["services"]
      protocol     = "tcp"
      ports        = ["80", "443"]
    }
  }
}

resource "netbird_policy" "this" {
  for_each = local.policies

  name        = each.key
  description = each.value.description
  enabled     = true

  rule {
    name          = each.key
    action        = "accept"
    bidirectional = false
    enabled       = true
    protocol      = each.value.protocol
    ports         = each.value.ports
    sources       = [for group in each.value.sources : netbird_group.this[group].id]
    destinations  = [for group in each.value.destinations : netbird_group.this[group].id]
  }
}
