# function-tofu-workspace layout 1: generated, do not edit

terraform {
  required_version = ">= 1.10.0"

  required_providers {
    b2 = {
      source  = "Backblaze/b2"
      version = "0.13.0"
    }
    netbird = {
      source  = "netbirdio/netbird"
      version = "0.0.10"
    }
    random = {
      source  = "hashicorp/random"
      version = "3.9.0"
    }
  }
}

provider "b2" {}

provider "netbird" {}

locals {
  buckets = {
    "paperless-backup-1234" = "paperless-backup-1234"
  }
  application_keys = {
    "paperless-backup-1234" = "paperless-paperless-backup-1234"
  }
  records = {
    "paperless.int.kueber.eu" = "int.kueber.eu"
  }
  zones = ["int.kueber.eu"]
}

resource "b2_bucket" "backup" {
  for_each    = local.buckets
  bucket_name = each.value
  bucket_type = "allPrivate"

  lifecycle_rules {
    file_name_prefix             = ""
    days_from_hiding_to_deleting = 30
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes = [
      bucket_info,
      bucket_type,
      cors_rules,
      default_server_side_encryption,
      file_lock_configuration,
      lifecycle_rules,
    ]
  }
}

resource "b2_application_key" "backup" {
  for_each     = local.application_keys
  key_name     = each.value
  bucket_id    = b2_bucket.backup[each.key].bucket_id
  capabilities = ["deleteFiles", "listAllBucketNames", "listBuckets", "listFiles", "readFiles", "writeFiles"]

  lifecycle {
    create_before_destroy = true
  }
}

resource "terraform_data" "guard" {
  lifecycle {
    prevent_destroy = true
  }
}

# A bucket that exists at B2 already is imported by its bucket id: add it to spec.adoptBuckets, which emits the
# block below with the id filled in. A bucket that this module created needs nothing.
# import {
#   to = b2_bucket.backup["paperless-backup-1234"]
#   id = "<bucket id of paperless-backup-1234>"
# }

data "netbird_dns_zone" "zone" {
  for_each = toset(local.zones)
  domain   = each.value
}

resource "netbird_dns_record" "internal" {
  for_each = local.records
  zone_id  = data.netbird_dns_zone.zone[each.value].id
  name     = each.key
  type     = "A"
  content  = "100.64.0.10"
  ttl      = 300
}

output "buckets" {
  value = { for bucket in b2_bucket.backup : bucket.bucket_name => bucket.bucket_id }
}

output "application_key_ids" {
  value     = { for key, value in b2_application_key.backup : key => value.application_key_id }
  sensitive = true
}

output "application_keys" {
  value     = { for key, value in b2_application_key.backup : key => value.application_key }
  sensitive = true
}

output "records" {
  value = { for record in netbird_dns_record.internal : record.name => record.content }
}

# Extra modules of the Input: text of its author, not of function-tofu-workspace

# access

resource "netbird_group" "extra_app" {
  name = "app-paperless"
}

resource "netbird_setup_key" "extra_app" {
  name        = "app-paperless"
  type        = "reusable"
  auto_groups = [netbird_group.extra_app.id]
}

# backup-hosts

resource "random_pet" "extra_host" {
  for_each = { "paperless-backup-1234" = "paperless-backup-1234" }

  prefix = each.value
}

output "extra_hosts" {
  value = { for key, host in random_pet.extra_host : key => host.id }
}

locals {
  extra_hosts = toset(["paperless.int.kueber.eu"])
}
