# Records are added by whoever knows the host: production/ for machines, the cluster's Workspaces for apps.
resource "netbird_dns_zone" "internal" {
  name                 = "internal"
  domain               = var.zone
  enabled              = true
  enable_search_domain = false
  distribution_groups  = [for group in ["admins", "family", "hypervisors"] : netbird_group.this[group].id]

  # With the zone goes every record in it, those of the cluster's Workspaces as well.
  lifecycle {
    prevent_destroy = true
  }
}
