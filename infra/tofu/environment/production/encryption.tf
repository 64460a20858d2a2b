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

    # The state of netbird/ is read by netbird.tf, and is encrypted in the same way.
    remote_state_data_sources {
      remote_state_data_source "netbird" {
        method = method.aes_gcm.current
      }
    }
  }
}
