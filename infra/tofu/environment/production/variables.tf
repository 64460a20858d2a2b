variable "state_passphrase" {
  description = "Encrypts state and plans; one passphrase for all environments. Losing it loses every state."
  type        = string
  sensitive   = true

  validation {
    condition     = length(var.state_passphrase) >= 16
    error_message = "The passphrase needs 16 characters or more."
  }
}

variable "netbird_management_url" {
  description = "Where NetBird's management API answers."
  type        = string
  default     = "https://api.netbird.io"
  nullable    = false

  validation {
    condition     = startswith(var.netbird_management_url, "https://")
    error_message = "The URL starts with https://: the token goes there."
  }
}

variable "proxmox_endpoint" {
  description = "Proxmox API of any host of the cluster."
  type        = string
  default     = "https://192.168.100.11:8006/"
  nullable    = false

  validation {
    condition     = startswith(var.proxmox_endpoint, "https://")
    error_message = "The endpoint starts with https://: the token goes there."
  }
}

variable "proxmox_ssh_username" {
  description = "User on the Proxmox hosts that imports disk images."
  type        = string
  default     = "root"
  nullable    = false
}

variable "hypervisors" {
  description = <<-EOT
    Proxmox hosts by name. `igpu` is set only where Ansible has commissioned the passthrough (group igpu_passthrough): on
    another host a VM with the device does not start. Its values are printed on the host by `lspci -Dnn -s 00:02.0`,
    `lspci -Dnnv` (Subsystem) and `readlink /sys/bus/pci/devices/0000:00:02.0/iommu_group`.
  EOT
  type = map(object({
    address = string
    igpu = optional(object({
      path         = string
      id           = string
      subsystem_id = string
      iommu_group  = number
    }))
  }))
  default = {
    proxmox-1 = {
      address = "192.168.100.11"
      igpu    = { path = "0000:00:02.0", id = "8086:46a6", subsystem_id = "8086:7270", iommu_group = 0 }
    }
    proxmox-2 = {
      address = "192.168.100.12"
      igpu    = { path = "0000:00:02.0", id = "8086:46a6", subsystem_id = "8086:7270", iommu_group = 0 }
    }
    proxmox-3 = {
      address = "192.168.100.13"
      igpu    = { path = "0000:00:02.0", id = "8086:46a6", subsystem_id = "8086:7270", iommu_group = 0 }
    }
    proxmox-4 = {
      address = "192.168.100.14"
      igpu    = { path = "0000:00:02.0", id = "8086:46a6", subsystem_id = "8086:7270", iommu_group = 0 }
    }
  }
  nullable = false

  validation {
    condition     = alltrue([for host in var.hypervisors : can(cidrhost("${host.address}/32", 0))])
    error_message = "A host's address is an IPv4 address without a prefix."
  }

  validation {
    condition     = length(distinct([for host in var.hypervisors : host.address])) == length(var.hypervisors)
    error_message = "Two hosts have the same address."
  }

  validation {
    condition     = alltrue([for host in var.hypervisors : host.igpu == null ? true : can(regex("^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$", host.igpu.path))])
    error_message = "A PCI path has the form 0000:00:02.0."
  }

  validation {
    condition = alltrue([
      for host in var.hypervisors : host.igpu == null ? true : alltrue([
        for id in [host.igpu.id, host.igpu.subsystem_id] : can(regex("^[0-9a-f]{4}:[0-9a-f]{4}$", id))
      ])
    ])
    error_message = "A PCI id has the form 8086:46a6."
  }
}

variable "server_network" {
  description = "The network that hosts and VMs share. `vlan_id` is null where the switch port is untagged in it."
  type = object({
    subnet  = string
    gateway = string
    bridge  = string
    vlan_id = optional(number)
  })
  default = {
    subnet  = "192.168.100.0/24"
    gateway = "192.168.100.1"
    bridge  = "vmbr0"
    vlan_id = 100
  }
  nullable = false

  validation {
    condition     = can(cidrhost(var.server_network.subnet, 0)) && can(cidrhost("${var.server_network.gateway}/32", 0))
    error_message = "The subnet has the form 192.168.100.0/24, the gateway is an address in it."
  }

  validation {
    condition     = var.server_network.vlan_id == null ? true : var.server_network.vlan_id >= 1 && var.server_network.vlan_id <= 4094
    error_message = "A VLAN id is 1 to 4094."
  }
}

variable "datastores" {
  description = "Proxmox datastores on each host: for downloaded images, and for the disks of VMs."
  type = object({
    images = string
    disks  = string
  })
  default  = { images = "local", disks = "local-lvm" }
  nullable = false
}

variable "talos_version" {
  description = "Talos version of the image that a new VM boots first. Later versions come by `topf upgrade`, not from here."
  type        = string
  default     = "v1.13.7"
  nullable    = false

  validation {
    condition     = can(regex("^v[0-9]+\\.[0-9]+\\.[0-9]+$", var.talos_version))
    error_message = "A Talos version has the form v1.13.7."
  }
}

variable "other_hosts" {
  description = "Hosts in the server network that only need a name."
  type        = map(string)
  default = {
    maresa        = "192.168.100.20"
    homeassistant = "192.168.100.21"
  }
  nullable = false

  validation {
    condition     = alltrue([for address in var.other_hosts : can(cidrhost("${address}/32", 0))])
    error_message = "A host's address is an IPv4 address without a prefix."
  }
}
