# Every provider is mocked and every run only plans: nothing real is read or touched.
mock_provider "unifi" {}

run "accepts_what_is_meant" {
  command = plan
}

run "refuses_a_subnet_twice" {
  command = plan

  variables {
    networks = {
      lan = { subnet = "192.168.1.1/24", dhcp_start = "192.168.1.100", dhcp_stop = "192.168.1.254" }
      iot = { subnet = "192.168.1.2/24", vlan = 20, dhcp_start = "192.168.1.100", dhcp_stop = "192.168.1.254" }
    }
  }

  expect_failures = [var.networks]
}

run "refuses_a_vlan_twice" {
  command = plan

  variables {
    networks = {
      lan = { subnet = "192.168.1.1/24", dhcp_start = "192.168.1.100", dhcp_stop = "192.168.1.254" }
      iot = { subnet = "192.168.20.1/24", vlan = 20, dhcp_start = "192.168.20.100", dhcp_stop = "192.168.20.254" }
      tv  = { subnet = "192.168.21.1/24", vlan = 20, dhcp_start = "192.168.21.100", dhcp_stop = "192.168.21.254" }
    }
  }

  expect_failures = [var.networks]
}

run "refuses_two_default_networks" {
  command = plan

  variables {
    networks = {
      lan = { subnet = "192.168.1.1/24", dhcp_start = "192.168.1.100", dhcp_stop = "192.168.1.254" }
      iot = { subnet = "192.168.20.1/24", dhcp_start = "192.168.20.100", dhcp_stop = "192.168.20.254" }
    }
  }

  expect_failures = [var.networks]
}

run "refuses_a_dhcp_range_outside_the_subnet" {
  command = plan

  variables {
    networks = {
      lan = { subnet = "192.168.1.1/24", dhcp_start = "192.168.1.100", dhcp_stop = "192.168.1.254" }
      iot = { subnet = "192.168.20.1/24", vlan = 20, dhcp_start = "192.168.20.100", dhcp_stop = "192.168.21.254" }
    }
  }

  expect_failures = [var.networks]
}

run "refuses_an_unknown_purpose" {
  command = plan

  variables {
    networks = {
      lan = { subnet = "192.168.1.1/24", dhcp_start = "192.168.1.100", dhcp_stop = "192.168.1.254" }
      iot = { subnet = "192.168.20.1/24", vlan = 20, purpose = "wan", dhcp_start = "192.168.20.100", dhcp_stop = "192.168.20.254" }
    }
  }

  expect_failures = [var.networks]
}

run "refuses_an_address_twice" {
  command = plan

  variables {
    hosts = { maresa = "192.168.100.20", homeassistant = "192.168.100.20" }
  }

  expect_failures = [var.hosts]
}

run "refuses_an_address_with_a_prefix" {
  command = plan

  variables {
    hosts = { maresa = "192.168.100.20/24" }
  }

  expect_failures = [var.hosts]
}

run "refuses_a_path" {
  command = plan

  variables {
    unifi_api_url = "https://192.168.1.1/api"
  }

  expect_failures = [var.unifi_api_url]
}

run "refuses_plain_http" {
  command = plan

  variables {
    unifi_api_url = "http://192.168.1.1"
  }

  expect_failures = [var.unifi_api_url]
}
