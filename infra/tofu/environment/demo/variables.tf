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
  description = "Addresses from which SSH can be reached."
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

variable "ssh_public_key" {
  description = "Public key of whoever may log in."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^(ssh-ed25519|ecdsa-sha2-nistp256|sk-ssh-ed25519@openssh\\.com) [A-Za-z0-9+/=]+( .*)?$", trimspace(var.ssh_public_key)))
    error_message = "Give a public key as `ssh-keygen -t ed25519` writes it."
  }
}

variable "location" {
  description = "Hetzner location."
  type        = string
  default     = "fsn1"
  nullable    = false
}

variable "server_type" {
  description = "Hetzner server type, x86."
  type        = string
  default     = "cx23"
  nullable    = false
}
