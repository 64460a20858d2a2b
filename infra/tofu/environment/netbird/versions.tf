terraform {
  required_version = ">= 1.10.0, < 2.0.0"

  required_providers {
    netbird = {
      source  = "netbirdio/netbird"
      version = "0.0.10"
    }
  }
}
