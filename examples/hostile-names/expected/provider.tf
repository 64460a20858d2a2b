terraform {
  backend "s3" {
    bucket                      = "crossplane-talos-workspaces-995867de"
    key                         = "terraform.tfstate"
    region                      = "fsn1"
    workspace_key_prefix        = "paperless"
    endpoints                   = { s3 = "https://fsn1.your-objectstorage.com" }
    use_path_style              = true
    skip_credentials_validation = true
    skip_region_validation      = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
    skip_s3_checksum            = true
  }

  encryption {
    key_provider "pbkdf2" "passphrase" {
      passphrase = var.state_passphrase
    }

    key_provider "pbkdf2" "passphrase_rotated" {
      passphrase               = var.state_passphrase
      encrypted_metadata_alias = "rotated"
    }

    method "aes_gcm" "current" {
      keys = key_provider.pbkdf2.passphrase
    }

    method "aes_gcm" "rotated" {
      keys = key_provider.pbkdf2.passphrase_rotated
    }

    state {
      method   = method.aes_gcm.current
      enforced = true

      fallback {
        method = method.aes_gcm.rotated
      }
    }

    plan {
      method   = method.aes_gcm.current
      enforced = true
    }
  }
}

variable "state_passphrase" {
  type      = string
  sensitive = true
}
