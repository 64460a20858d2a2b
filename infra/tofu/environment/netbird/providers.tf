# The token comes from NB_PAT, the personal access token of an administrator.
provider "netbird" {
  management_url = var.netbird_management_url
}
