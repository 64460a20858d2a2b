# What steps/virtual-machines create reads, so that it never pulls a cable that is plugged in.
output "attached" {
  description = "Machines that are plugged into their VLAN."
  value       = sort(tolist(var.attached))
}

output "networks" {
  description = "VLAN and address of each machine."
  value = {
    for name, machine in local.machines : name => {
      vlan    = local.site.vlans[machine.vlan].id
      address = machine.address
    }
  }
}
