variable "state_passphrase" {
  description = "Encrypts state and plans; one passphrase for all environments. Losing it loses every state."
  type        = string
  sensitive   = true

  validation {
    condition     = length(var.state_passphrase) >= 16
    error_message = "The passphrase needs 16 characters or more."
  }
}

variable "buckets" {
  description = "Buckets by project. Names are unique in all of Hetzner, so they end in something random; a bucket is never renamed."
  type = map(object({
    name       = string
    versioning = optional(bool, true)
  }))
  default = {
    photos = { name = "johnny-projects-photos-4be1c07a" }
    www    = { name = "johnny-projects-www-91d3f65e", versioning = false }
  }

  validation {
    condition     = alltrue([for bucket in var.buckets : can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", bucket.name))])
    error_message = "A bucket name has 3 to 63 lower-case letters, digits and hyphens, and neither starts nor ends with a hyphen."
  }

  validation {
    condition     = length(distinct([for bucket in var.buckets : bucket.name])) == length(var.buckets)
    error_message = "Two projects name the same bucket."
  }
}
