resource "netbird_user" "service_account" {
  for_each = var.service_accounts

  is_service_user = true
  name            = each.key
  role            = each.value.role
}

# The token is known only at creation, and lies in this environment's encrypted state.
resource "netbird_token" "service_account" {
  for_each = var.service_accounts

  user_id         = netbird_user.service_account[each.key].id
  name            = "opentofu"
  expiration_days = each.value.token_expiration_days

  # A new one first: whoever still holds the old one goes on working until it is handed the new one.
  lifecycle {
    create_before_destroy = true
  }
}
