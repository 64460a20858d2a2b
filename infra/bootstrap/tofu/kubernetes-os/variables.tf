variable "state_passphrase" {
  description = "Encrypts state and plans. From AWS Secrets Manager, as TF_VAR_state_passphrase."
  type        = string
  sensitive   = true
}

variable "machine_secrets" {
  description = "What talosctl gen secrets made in phase 0, as YAML. From AWS Secrets Manager, as TF_VAR_machine_secrets."
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "site_file" {
  description = "Another site.yaml, for a drill on other hardware."
  type        = string
  default     = "../../site.yaml"
}

variable "apply_mode" {
  description = "How a changed configuration takes effect. A node in maintenance mode knows only auto; once etcd answers, steps/kubernetes-os asks for staged_if_needing_reboot, since three control planes that reboot at once are no quorum."
  type        = string
  default     = "auto"

  validation {
    condition     = contains(["auto", "staged_if_needing_reboot"], var.apply_mode)
    error_message = "Expected auto or staged_if_needing_reboot."
  }
}
