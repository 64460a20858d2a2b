variable "state_passphrase" {
  description = "Encrypts state and plans; one passphrase for all environments. Losing it loses every state."
  type        = string
  sensitive   = true

  validation {
    condition     = length(var.state_passphrase) >= 16
    error_message = "The passphrase needs 16 characters or more."
  }
}

variable "unifi_api_url" {
  description = "Address of the UniFi console, without a path."
  type        = string
  default     = "https://192.168.1.1"
  nullable    = false

  validation {
    condition     = can(regex("^https://[^/]+$", var.unifi_api_url))
    error_message = "The URL starts with https:// and has no path: the provider adds /api by itself."
  }
}

variable "networks" {
  description = "Networks by name. `subnet` is the gateway's address with the prefix; `vlan` is null for the default network only."
  type = map(object({
    subnet     = string
    vlan       = optional(number)
    isolated   = optional(bool, false)
    purpose    = optional(string, "corporate")
    dhcp_start = string
    dhcp_stop  = string
  }))
  default = {
    lan = {
      subnet = "192.168.1.1/24", dhcp_start = "192.168.1.100", dhcp_stop = "192.168.1.254"
    }
    # Addresses below .200 are given by hand: hosts here, Talos nodes by production/.
    servers = {
      subnet = "192.168.100.1/24", vlan = 100, dhcp_start = "192.168.100.200", dhcp_stop = "192.168.100.249"
    }
    iot = {
      subnet = "192.168.20.1/24", vlan = 20, isolated = true, dhcp_start = "192.168.20.100", dhcp_stop = "192.168.20.254"
    }
    guests = {
      subnet = "192.168.30.1/24", vlan = 30, isolated = true, purpose = "guest", dhcp_start = "192.168.30.100", dhcp_stop = "192.168.30.254"
    }
  }
  nullable = false

  validation {
    condition     = alltrue([for network in var.networks : can(cidrhost(network.subnet, 0))])
    error_message = "A subnet has the form 192.168.20.1/24."
  }

  validation {
    condition     = length(distinct([for network in var.networks : try(cidrsubnet(network.subnet, 0, 0), network.subnet)])) == length(var.networks)
    error_message = "Two networks have the same subnet."
  }

  validation {
    condition     = length([for network in var.networks : network if network.vlan == null]) == 1
    error_message = "Exactly one network, the default one, has no VLAN."
  }

  validation {
    condition = (
      alltrue([for network in var.networks : network.vlan == null ? true : network.vlan >= 2 && network.vlan <= 4009]) &&
      length(distinct([for network in var.networks : network.vlan])) == length(var.networks)
    )
    error_message = "VLANs are 2 to 4009, each once."
  }

  validation {
    condition = alltrue([
      for network in var.networks : alltrue([
        for address in [network.dhcp_start, network.dhcp_stop] :
        try(cidrsubnet("${address}/${split("/", network.subnet)[1]}", 0, 0) == cidrsubnet(network.subnet, 0, 0), false)
      ])
    ])
    error_message = "The DHCP range lies in the subnet."
  }

  validation {
    condition     = alltrue([for network in var.networks : contains(["corporate", "guest"], network.purpose)])
    error_message = "The purpose is corporate or guest."
  }
}

variable "domain" {
  description = "Domain of the host names below. The same names are in NetBird's zone, for peers that are not at home."
  type        = string
  default     = "int.kueber.eu"
  nullable    = false
}

variable "hosts" {
  description = "Address of each host that has a name. production/ writes the same ones into NetBird's zone."
  type        = map(string)
  default = {
    proxmox-1       = "192.168.100.11"
    proxmox-2       = "192.168.100.12"
    proxmox-3       = "192.168.100.13"
    proxmox-4       = "192.168.100.14"
    maresa          = "192.168.100.20"
    homeassistant   = "192.168.100.21"
    talos-cp-01     = "192.168.100.101"
    talos-cp-02     = "192.168.100.102"
    talos-cp-04     = "192.168.100.104"
    talos-worker-01 = "192.168.100.111"
    talos-worker-02 = "192.168.100.112"
    talos-worker-03 = "192.168.100.113"
    talos-worker-04 = "192.168.100.114"
  }
  nullable = false

  validation {
    condition     = alltrue([for address in var.hosts : can(cidrhost("${address}/32", 0))])
    error_message = "A host's address is an IPv4 address without a prefix."
  }

  validation {
    condition     = length(distinct(values(var.hosts))) == length(var.hosts)
    error_message = "Two hosts have the same address."
  }
}
