# The labels are part of every encrypted state: under another one, old state can no longer be read.
terraform {
  encryption {
    key_provider "pbkdf2" "passphrase" {
      passphrase = var.state_passphrase
    }

    method "aes_gcm" "current" {
      keys = key_provider.pbkdf2.passphrase
    }

    state {
      method   = method.aes_gcm.current
      enforced = true
    }

    plan {
      method   = method.aes_gcm.current
      enforced = true
    }
  }
}
