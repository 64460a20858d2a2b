variable "state_passphrase" {
  description = "Encrypts state and plans; one passphrase for all environments. Losing it loses every state."
  type        = string
  sensitive   = true

  validation {
    condition     = length(var.state_passphrase) >= 16
    error_message = "The passphrase needs 16 characters or more."
  }
}
