terraform {
  required_version = ">= 1.10.0, < 2.0.0"

  required_providers {
    netbird = {
      source  = "netbirdio/netbird"
      version = "0.0.10"
    }
    proxmox = {
      source  = "bpg/proxmox"
      version = "0.111.1"
    }
    talos = {
      source  = "siderolabs/talos"
      version = "0.11.0"
    }
  }
}
