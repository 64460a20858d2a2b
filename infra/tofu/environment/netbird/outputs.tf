output "group_ids" {
  description = "Id of each group, by name. Read by production/."
  value       = { for name, group in netbird_group.this : name => group.id }
}

output "internal_zone" {
  description = "The internal DNS zone. Read by production/."
  value       = { id = netbird_dns_zone.internal.id, domain = netbird_dns_zone.internal.domain }
}

output "service_account_tokens" {
  description = "Token of each service account. That of crossplane-talos goes into the secret store that External Secrets reads."
  value       = { for name, token in netbird_token.service_account : name => token.token }
  sensitive   = true
}
