output "id" {
  description = "Id of the network."
  value       = netbird_network.this.id
}

output "resource_ids" {
  description = "Id of each resource, by name."
  value       = { for name, resource in netbird_network_resource.this : name => resource.id }
}
