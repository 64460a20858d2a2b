# One block with for_each: an entry that is taken out of the map still meets prevent_destroy.
resource "minio_s3_bucket" "project" {
  for_each = var.buckets

  bucket = each.value.name
  acl    = "private"

  lifecycle {
    prevent_destroy = true
  }
}

resource "minio_s3_bucket_versioning" "project" {
  for_each = { for project, bucket in var.buckets : project => bucket if bucket.versioning }

  bucket = minio_s3_bucket.project[each.key].bucket

  versioning_configuration {
    status = "Enabled"
  }
}
