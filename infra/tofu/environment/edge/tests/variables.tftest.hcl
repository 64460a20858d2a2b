# Every provider is mocked and every run only plans: nothing real is read or touched.
# Ids are numbers in the arguments of this provider, and texts in its resources.
mock_provider "hcloud" {
  mock_resource "hcloud_network" {
    defaults = { id = "1" }
  }

  mock_resource "hcloud_firewall" {
    defaults = { id = "2" }
  }
}

variables {
  admin_cidrs = ["203.0.113.4/32", "2001:db8:1::/48"]
  talos_iso   = "122630"
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

run "refuses_half_of_the_internet" {
  command = plan

  variables {
    admin_cidrs = ["0.0.0.0/1", "128.0.0.0/1"]
  }

  expect_failures = [var.admin_cidrs]
}

run "refuses_all_of_ipv6" {
  command = plan

  variables {
    admin_cidrs = ["::/0"]
  }

  expect_failures = [var.admin_cidrs]
}

run "refuses_an_address_without_a_prefix" {
  command = plan

  variables {
    admin_cidrs = ["203.0.113.4"]
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

run "refuses_an_empty_iso" {
  command = plan

  variables {
    talos_iso = " "
  }

  expect_failures = [var.talos_iso]
}

run "refuses_a_subnet_outside_the_network" {
  command = plan

  variables {
    network = { ip_range = "10.0.0.0/16", subnet = "10.1.1.0/24", control_plane_address = "10.1.1.2" }
  }

  expect_failures = [var.network]
}

run "refuses_a_node_outside_the_subnet" {
  command = plan

  variables {
    network = { ip_range = "10.0.0.0/16", subnet = "10.0.1.0/24", control_plane_address = "10.0.2.2" }
  }

  expect_failures = [var.network]
}

run "refuses_the_address_of_the_gateway" {
  command = plan

  variables {
    network = { ip_range = "10.0.0.0/16", subnet = "10.0.1.0/24", control_plane_address = "10.0.1.1" }
  }

  expect_failures = [var.network]
}

run "refuses_a_location_in_another_network_zone" {
  command = plan

  variables {
    location = "ash"
  }

  expect_failures = [var.location]
}
