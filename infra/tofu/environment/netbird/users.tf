resource "netbird_user" "person" {
  for_each = var.users

  is_service_user = false
  name            = each.key
  email           = each.value.email
  role            = each.value.role
  auto_groups     = sort([for group in each.value.groups : netbird_group.this[group].id])
}
