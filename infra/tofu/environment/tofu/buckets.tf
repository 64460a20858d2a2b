locals {
  buckets = {
    environments = "tofu-state-558a4a64"
    workspaces   = "crossplane-talos-workspaces-995867de"
  }
}

# One block with for_each: an entry that is taken out of the map still meets prevent_destroy. With a block for each
# bucket, deleting the block would delete its protection as well.
resource "minio_s3_bucket" "state" {
  for_each = local.buckets

  bucket = each.value
  acl    = "private"

  lifecycle {
    prevent_destroy = true
  }
}

# Destroying this would suspend versioning, and with it the way back to an older state.
resource "minio_s3_bucket_versioning" "state" {
  for_each = local.buckets

  bucket = minio_s3_bucket.state[each.key].bucket

  versioning_configuration {
    status = "Enabled"
  }

  lifecycle {
    prevent_destroy = true
  }
}
