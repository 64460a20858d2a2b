resource "netbird_group" "this" {
  for_each = var.groups

  name = each.key

  # Setup keys, users and network resources put their members in.
  lifecycle {
    ignore_changes = [peers, resources]
  }
}
