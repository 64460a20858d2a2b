terraform {
  # Ephemeral values and write-only arguments: no secret of the cluster enters a state or a plan.
  required_version = ">= 1.11.0, < 2.0.0"

  required_providers {
    talos = {
      source  = "siderolabs/talos"
      version = "0.11.0"
    }
  }
}
