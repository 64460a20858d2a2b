output "network_ids" {
  description = "Id of each network, by name."
  value       = { for name, network in unifi_network.this : name => network.id }
}

output "vlans" {
  description = "VLAN of each network; null for the default network."
  value       = { for name, network in var.networks : name => network.vlan }
}
