variable "state_passphrase" {
  description = "Encrypts state and plans; one passphrase for all environments. Losing it loses every state."
  type        = string
  sensitive   = true

  validation {
    condition     = length(var.state_passphrase) >= 16
    error_message = "The passphrase needs 16 characters or more."
  }
}

variable "admin_cidrs" {
  description = "Addresses from which the Talos API and the Kubernetes API can be reached."
  type        = list(string)
  nullable    = false

  validation {
    condition     = length(var.admin_cidrs) > 0 && alltrue([for cidr in var.admin_cidrs : can(cidrhost(cidr, 0))])
    error_message = "Give one or more addresses with prefix, e.g. [\"203.0.113.4/32\"]."
  }

  # A /0 in either family is the whole internet; so is a handful of very short prefixes.
  validation {
    condition = alltrue([
      for cidr in var.admin_cidrs : try(tonumber(split("/", cidr)[1]) >= (strcontains(cidr, ":") ? 32 : 16), false)
    ])
    error_message = "A prefix below /16 (IPv4) or /32 (IPv6) opens the machine to a good part of the internet."
  }
}

variable "location" {
  description = "Hetzner location of the server and its addresses."
  type        = string
  default     = "fsn1"
  nullable    = false

  validation {
    condition     = contains(["fsn1", "nbg1", "hel1"], var.location)
    error_message = "The location is fsn1, nbg1 or hel1: the network lies in eu-central."
  }
}

variable "server_type" {
  description = "Hetzner server type, x86."
  type        = string
  default     = "cx33"
  nullable    = false
}

variable "talos_iso" {
  description = <<-EOT
    Id or name of Hetzner's Talos ISO that a new server boots. Hetzner replaces it from time to time:
    `hcloud iso list --architecture x86 | grep -i talos`. Of no effect on a server that exists.
  EOT
  type        = string
  nullable    = false

  # An empty one would boot the placeholder image, a Debian with the host's SSH open.
  validation {
    condition     = trimspace(var.talos_iso) != ""
    error_message = "Name Hetzner's Talos ISO, by id or name."
  }
}

variable "network" {
  description = "Private network: its range, the subnet of the nodes and the node's address in it."
  type = object({
    ip_range              = string
    subnet                = string
    control_plane_address = string
  })
  default = {
    ip_range              = "10.0.0.0/16"
    subnet                = "10.0.1.0/24"
    control_plane_address = "10.0.1.2"
  }
  nullable = false

  validation {
    condition     = alltrue([for range in [var.network.ip_range, var.network.subnet] : can(cidrhost(range, 0))])
    error_message = "Ranges have the form 10.0.0.0/16."
  }

  validation {
    condition = try(
      cidrsubnet("${cidrhost(var.network.subnet, 0)}/${split("/", var.network.ip_range)[1]}", 0, 0) == var.network.ip_range &&
      cidrsubnet("${var.network.control_plane_address}/${split("/", var.network.subnet)[1]}", 0, 0) == var.network.subnet,
      false
    )
    error_message = "The subnet lies in the range, and the node's address in the subnet."
  }

  # Hetzner keeps the first address of every subnet for the gateway.
  validation {
    condition     = try(var.network.control_plane_address != cidrhost(var.network.subnet, 1), false)
    error_message = "The first address of the subnet belongs to Hetzner's gateway."
  }
}
