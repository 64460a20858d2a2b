# The key comes from UNIFI_API_KEY. UNIFI_INSECURE=true is for a controller with a self-signed certificate.
provider "unifi" {
  api_url = var.unifi_api_url
  site    = "default"
}
