variable "name" {
  description = "Name of the network."
  type        = string
  nullable    = false

  validation {
    condition     = trimspace(var.name) != ""
    error_message = "The network needs a name."
  }
}

variable "description" {
  description = "What lies in the network."
  type        = string
  default     = ""
  nullable    = false
}

variable "resources" {
  description = "What peers may reach in the network, by name: a host, a subnet or a domain, and the ids of the groups that policies name as destinations."
  type = map(object({
    address     = string
    groups      = set(string)
    description = optional(string, "")
    enabled     = optional(bool, true)
  }))
  nullable = false

  validation {
    condition     = length(var.resources) > 0
    error_message = "A network without resources leads nowhere."
  }

  validation {
    condition = alltrue([
      for resource in var.resources :
      can(cidrhost(resource.address, 0)) ||
      can(cidrhost("${resource.address}/32", 0)) ||
      can(regex("^(\\*\\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]([a-z0-9-]*[a-z0-9])?$", resource.address))
    ])
    error_message = "An address is an IPv4 address, a subnet such as 192.168.100.0/24, or a domain such as example.com or *.example.com."
  }

  # Without a group no policy can name it, so nobody would reach it and nothing would say why.
  validation {
    condition     = alltrue([for resource in var.resources : length(resource.groups) > 0])
    error_message = "Every resource needs a group."
  }
}

variable "routing_groups" {
  description = "Ids of the groups whose peers route into the network."
  type        = set(string)
  nullable    = false

  validation {
    condition     = length(var.routing_groups) > 0
    error_message = "Without a group of routing peers nothing leads into the network."
  }
}

variable "masquerade" {
  description = "Whether hosts in the network see the routing peer as the source. False needs routes back to the peers on the network's gateway."
  type        = bool
  default     = true
  nullable    = false
}

variable "metric" {
  description = "Priority of the routing peers; the lowest wins."
  type        = number
  default     = 9999
  nullable    = false

  validation {
    condition     = var.metric >= 1 && var.metric <= 9999 && floor(var.metric) == var.metric
    error_message = "The metric is a whole number from 1 to 9999."
  }
}
