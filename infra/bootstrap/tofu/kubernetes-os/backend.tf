terraform {
  backend "s3" {
    bucket    = "tofu-state-558a4a64"
    key       = "bootstrap/north/kubernetes-os/terraform.tfstate"
    region    = "fsn1"
    endpoints = { s3 = "https://fsn1.your-objectstorage.com" }

    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
    skip_s3_checksum            = true
    use_lockfile                = true
  }
}
