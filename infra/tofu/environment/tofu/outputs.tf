output "environments_bucket" {
  description = "State of all environments, one key for each."
  value       = minio_s3_bucket.state["environments"].bucket
}

output "workspaces_bucket" {
  description = "State of all in-cluster Workspaces, one workspace_key_prefix for each namespace."
  value       = minio_s3_bucket.state["workspaces"].bucket
}
