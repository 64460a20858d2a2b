# Keys come from MINIO_USER and MINIO_PASSWORD: of another Hetzner project than that of the state buckets, since an S3 key
# of Hetzner opens every bucket of its project.
provider "minio" {
  minio_server   = "fsn1.your-objectstorage.com"
  minio_region   = "fsn1"
  minio_ssl      = true
  s3_compat_mode = true
}
