resource "unifi_dns_record" "host" {
  for_each = var.hosts

  name        = "${each.key}.${var.domain}"
  record_type = "A"
  value       = each.value
  ttl         = "300s"
  enabled     = true
}
