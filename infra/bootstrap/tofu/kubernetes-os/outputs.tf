output "patches" {
  description = "Configuration patches of each node; no secret is in them."
  value       = local.patches
}
