variable "zone" {
  description = "The NetBird zone that the record lies in."
  type = object({
    id     = string
    domain = string
  })
  nullable = false
}

variable "name" {
  description = "Full name of the record: NetBird refuses short names and \"@\". A first label of \"*\" is a wildcard."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", var.name)) && length(var.name) <= 253
    error_message = "The name is a full, lower-case DNS name without a dot at its end."
  }

  validation {
    condition     = var.name == var.zone.domain || endswith(var.name, ".${var.zone.domain}")
    error_message = "The name lies outside the zone."
  }
}

variable "type" {
  description = "A, AAAA or CNAME: NetBird knows no others."
  type        = string
  default     = "A"
  nullable    = false

  validation {
    condition     = contains(["A", "AAAA", "CNAME"], var.type)
    error_message = "The type is A, AAAA or CNAME."
  }
}

variable "content" {
  description = "The address, or for a CNAME the full name that it stands for."
  type        = string
  nullable    = false

  validation {
    condition = (
      var.type == "A" ? can(cidrhost("${var.content}/32", 0)) && !strcontains(var.content, ":") :
      var.type == "AAAA" ? can(cidrhost("${var.content}/128", 0)) && strcontains(var.content, ":") :
      can(regex("^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", var.content))
    )
    error_message = "The content does not fit the type: an IPv4 address for A, an IPv6 address for AAAA, a full name for CNAME."
  }
}

variable "ttl" {
  description = "Seconds that a peer may remember the answer."
  type        = number
  default     = 300
  nullable    = false

  validation {
    condition     = var.ttl >= 60 && var.ttl <= 86400 && floor(var.ttl) == var.ttl
    error_message = "The TTL is a whole number from 60 to 86400."
  }
}
