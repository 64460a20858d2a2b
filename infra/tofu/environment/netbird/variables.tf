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

variable "zone" {
  description = "Internal DNS zone. In-cluster Workspaces look it up by this name and add a record for each internal route."
  type        = string
  default     = "int.kueber.eu"
  nullable    = false

  validation {
    condition     = can(regex("^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$", var.zone))
    error_message = "The zone is a full, lower-case domain name."
  }
}

variable "groups" {
  description = "What each group is for, by name. Environments and policies name groups by these names."
  type        = map(string)
  default = {
    admins      = "Devices of people who run the platform"
    family      = "Devices of people who use it"
    hypervisors = "Proxmox hosts; they route into the server network"
    servers     = "Network resources: everything in the server network"
    services    = "Network resources: what apps offer to people"
  }
  nullable = false

  validation {
    condition     = alltrue([for name in ["admins", "family", "hypervisors", "servers", "services"] : contains(keys(var.groups), name)])
    error_message = "The groups admins, family, hypervisors, servers and services are used by policies and by production/."
  }

  # NetBird makes the group All by itself, and refuses another one.
  validation {
    condition     = alltrue([for name in keys(var.groups) : can(regex("^[a-z][a-z0-9-]*$", name))])
    error_message = "A group's name has lower-case letters, digits and hyphens."
  }
}

variable "users" {
  description = "People, by a short name. Whoever is added gets an invitation by mail."
  type = map(object({
    email  = string
    role   = optional(string, "user")
    groups = optional(set(string), [])
  }))
  default = {
    johnny = { email = "johnny@kueber.eu", role = "admin", groups = ["admins"] }
  }
  nullable = false

  validation {
    condition     = alltrue([for user in var.users : can(regex("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", user.email))])
    error_message = "Every user needs a mail address."
  }

  # The owner is whoever made the account: NetBird takes no second one.
  validation {
    condition     = alltrue([for user in var.users : contains(["admin", "user", "billing_admin", "auditor", "network_admin"], user.role)])
    error_message = "A role is admin, user, billing_admin, auditor or network_admin."
  }

  validation {
    condition     = alltrue([for user in var.users : length(setsubtract(user.groups, keys(var.groups))) == 0])
    error_message = "A user names a group that is not among the groups."
  }
}

variable "service_accounts" {
  description = "Accounts of programs, by name, each with one token."
  type = map(object({
    role                  = string
    token_expiration_days = number
  }))
  default = {
    # The Workspaces in the cluster: they write DNS records and read the zone.
    crossplane-talos = { role = "network_admin", token_expiration_days = 365 }
    # The NetBird environments of this folder, from a workstation.
    opentofu = { role = "admin", token_expiration_days = 90 }
  }
  nullable = false

  validation {
    condition     = alltrue([for account in var.service_accounts : contains(["admin", "user", "auditor", "network_admin"], account.role)])
    error_message = "A role is admin, user, auditor or network_admin."
  }

  validation {
    condition     = alltrue([for account in var.service_accounts : account.token_expiration_days >= 1 && account.token_expiration_days <= 365])
    error_message = "NetBird's tokens live for 1 to 365 days."
  }
}
