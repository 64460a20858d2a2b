output "talos_addresses" {
  description = "Address of each Talos node. infra/talos/talos/topf.yaml names the same ones."
  value       = { for name, node in var.talos_nodes : name => split("/", node.address)[0] }
}

output "talos_schematic_ids" {
  description = "Schematics of the images that new VMs boot first: of plain nodes, and of those with an iGPU."
  value       = { for name, schematic in talos_image_factory_schematic.first_boot : name => schematic.id }
}

output "hypervisor_setup_keys" {
  description = "NetBird setup key of each hypervisor, for `netbird up --setup-key`."
  value       = { for name, key in netbird_setup_key.hypervisor : name => key.key }
  sensitive   = true
}
