output "control_plane_address" {
  description = "Private address of control-plane-1."
  value       = var.network.control_plane_address
}

output "endpoint" {
  description = "Public addresses of control-plane-1. The IPv4 address goes into clusterEndpoint of infra/talos/edge/topf.yaml."
  value       = { for family, ip in hcloud_primary_ip.control_plane : family => ip.ip_address }
}
