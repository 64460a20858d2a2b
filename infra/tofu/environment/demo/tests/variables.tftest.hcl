# Every provider is mocked and every run only plans: nothing real is read or touched.
# Ids are numbers in the arguments of this provider, and texts in its resources.
mock_provider "hcloud" {
  mock_resource "hcloud_firewall" {
    defaults = { id = "1" }
  }
}

variables {
  admin_cidrs    = ["203.0.113.4/32"]
  ssh_public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHN0YW5kLWluLWtleS1vZi10ZXN0cy1vbmx5LW5v test"
}

run "accepts_what_is_meant" {
  command = plan
}

run "refuses_the_whole_internet" {
  command = plan

  variables {
    admin_cidrs = ["0.0.0.0/0"]
  }

  expect_failures = [var.admin_cidrs]
}

run "refuses_no_admin_at_all" {
  command = plan

  variables {
    admin_cidrs = []
  }

  expect_failures = [var.admin_cidrs]
}

run "refuses_a_private_key" {
  command = plan

  variables {
    ssh_public_key = "-----BEGIN OPENSSH PRIVATE KEY-----"
  }

  expect_failures = [var.ssh_public_key]
}

run "refuses_two_lines" {
  command = plan

  variables {
    ssh_public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHN0YW5kLWluLWtleS1vZi10ZXN0cy1vbmx5LW5v test\nruncmd: [reboot]"
  }

  expect_failures = [var.ssh_public_key]
}
