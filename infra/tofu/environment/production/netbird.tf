data "terraform_remote_state" "netbird" {
  backend = "s3"
  config = {
    bucket    = "tofu-state-558a4a64"
    key       = "netbird/terraform.tfstate"
    region    = "fsn1"
    endpoints = { s3 = "https://fsn1.your-objectstorage.com" }

    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
    skip_s3_checksum            = true
  }
}

locals {
  group_ids     = data.terraform_remote_state.netbird.outputs.group_ids
  internal_zone = data.terraform_remote_state.netbird.outputs.internal_zone

  # A name for every machine of the site.
  addresses = merge(
    { for name, host in var.hypervisors : name => host.address },
    { for name, node in var.talos_nodes : name => split("/", node.address)[0] },
    var.other_hosts,
  )
}

# One for each hypervisor, good for one machine and a week: a leaked one is worth little, and a host that is installed
# anew gets a new one by -replace.
resource "netbird_setup_key" "hypervisor" {
  for_each = var.hypervisors

  name                   = each.key
  type                   = "one-off"
  expiry_seconds         = 7 * 24 * 60 * 60
  auto_groups            = [local.group_ids["hypervisors"]]
  ephemeral              = false
  allow_extra_dns_labels = false
  revoked                = false
}

module "server_network" {
  source = "../../modules/netbird/network"

  name           = "servers"
  description    = "Server network of the production site"
  routing_groups = [local.group_ids["hypervisors"]]
  resources = {
    servers = {
      address     = var.server_network.subnet
      groups      = [local.group_ids["servers"]]
      description = "Hypervisors, Talos nodes, NAS and Home Assistant"
    }
  }
}

module "host_record" {
  source   = "../../modules/netbird/dns_record"
  for_each = local.addresses

  zone    = local.internal_zone
  name    = "${each.key}.${local.internal_zone.domain}"
  content = each.value
}
