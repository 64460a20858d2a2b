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
  }
}

provider "b2" {}

provider "netbird" {}

locals {
  buckets          = {}
  application_keys = {}
  records          = {}
  zones            = []
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

moved {
  from = b2_bucket.backup["paperless-backup-1234"]
  to   = b2_bucket.released_paperless-backup-1234
}

removed {
  from = b2_bucket.released_paperless-backup-1234

  lifecycle {
    destroy = false
  }
}

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

output "releases" {
  value = {
    "paperless-backup-1234" = "0"
  }
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
