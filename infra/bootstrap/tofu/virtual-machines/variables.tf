variable "state_passphrase" {
  description = "Encrypts state and plans. From AWS Secrets Manager, as TF_VAR_state_passphrase."
  type        = string
  sensitive   = true
}

variable "authorized_key" {
  description = "Public SSH key that may log in to the guests."
  type        = string
}

variable "attached" {
  description = "Names of the machines that are plugged into their VLAN and run. The others are off, their cable pulled."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = length(setsubtract(var.attached, keys(local.machines))) == 0
    error_message = "A machine that site.yaml does not name cannot be attached."
  }
}

variable "site_file" {
  description = "Another site.yaml, for a drill on other hardware."
  type        = string
  default     = "../../site.yaml"
}
