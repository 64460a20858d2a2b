output "id" {
  description = "Id of the record."
  value       = netbird_dns_record.this.id
}

output "name" {
  description = "Full name of the record."
  value       = netbird_dns_record.this.name
}
