output "addresses" {
  description = "Public addresses of the VM."
  value       = { ipv4 = hcloud_server.demo.ipv4_address, ipv6 = hcloud_server.demo.ipv6_address }
}
