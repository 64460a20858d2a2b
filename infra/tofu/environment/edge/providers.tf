# The token comes from HCLOUD_TOKEN, a read and write token of the edge project.
provider "hcloud" {}
