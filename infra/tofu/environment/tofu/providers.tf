# Keys come from MINIO_USER and MINIO_PASSWORD. They are the S3 keys of the one Hetzner project that holds these buckets.
provider "minio" {
  minio_server   = "fsn1.your-objectstorage.com"
  minio_region   = "fsn1"
  minio_ssl      = true
  s3_compat_mode = true
}
