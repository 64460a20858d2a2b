# The token comes from PROXMOX_VE_API_TOKEN. A disk image is imported over SSH, for which the API has no call: the key of
# the user below must be in the SSH agent.
provider "proxmox" {
  endpoint = var.proxmox_endpoint

  ssh {
    agent    = true
    username = var.proxmox_ssh_username

    dynamic "node" {
      for_each = var.hypervisors

      content {
        name    = node.key
        address = node.value.address
      }
    }
  }
}

# Needs no credentials: it asks the public image factory for the id of a schematic.
provider "talos" {}

# The token comes from NB_PAT.
provider "netbird" {
  management_url = var.netbird_management_url
}
