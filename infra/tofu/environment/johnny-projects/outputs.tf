output "buckets" {
  description = "Bucket name by project."
  value       = { for project, bucket in minio_s3_bucket.project : project => bucket.bucket }
}
