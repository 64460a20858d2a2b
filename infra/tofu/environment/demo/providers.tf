# The token comes from HCLOUD_TOKEN, a read and write token of the demo project.
provider "hcloud" {}
