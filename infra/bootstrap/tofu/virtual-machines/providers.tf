# The token comes from PROXMOX_VE_API_TOKEN, the SSH key for what the API cannot do from the agent. Proxmox VE brings a
# certificate of its own; the address is one of the VPN.
provider "proxmox" {
  endpoint = "https://${values(local.site.hypervisors)[0].address}:8006/"
  insecure = true

  ssh {
    agent    = true
    username = "root"

    dynamic "node" {
      for_each = local.site.hypervisors

      content {
        name    = node.key
        address = node.value.address
      }
    }
  }
}

# Needs no credentials: it asks the public image factory for the id of a schematic.
provider "talos" {}
