# The provider is mocked: this proves the module, not NetBird.
mock_provider "netbird" {}

variables {
  zone    = { id = "zone-1", domain = "int.kueber.eu" }
  name    = "maresa.int.kueber.eu"
  content = "192.168.100.20"
}

run "address" {
  assert {
    condition     = netbird_dns_record.this.zone_id == "zone-1" && netbird_dns_record.this.name == "maresa.int.kueber.eu"
    error_message = "The record lies in another zone or has another name."
  }

  assert {
    condition     = netbird_dns_record.this.type == "A" && netbird_dns_record.this.content == "192.168.100.20" && netbird_dns_record.this.ttl == 300
    error_message = "Type, content or TTL are not as given or not the defaults."
  }

  assert {
    condition     = output.id == netbird_dns_record.this.id
    error_message = "The output is not the record's id."
  }
}

run "ipv6_address" {
  command = plan

  variables {
    type    = "AAAA"
    content = "fd00::20"
  }

  assert {
    condition     = netbird_dns_record.this.content == "fd00::20"
    error_message = "The content is another one."
  }
}

run "alias_at_the_top_of_the_zone" {
  command = plan

  variables {
    name    = "int.kueber.eu"
    type    = "CNAME"
    content = "gateway.netbird.cloud"
  }

  assert {
    condition     = netbird_dns_record.this.name == "int.kueber.eu"
    error_message = "The name is another one."
  }
}

run "wildcard" {
  command = plan

  variables {
    name = "*.apps.int.kueber.eu"
  }

  assert {
    condition     = netbird_dns_record.this.name == "*.apps.int.kueber.eu"
    error_message = "The name is another one."
  }
}

run "refuses_a_short_name" {
  command = plan

  variables {
    name = "maresa"
  }

  expect_failures = [var.name]
}

run "refuses_a_name_outside_the_zone" {
  command = plan

  variables {
    name = "maresa.notint.kueber.eu"
  }

  expect_failures = [var.name]
}

run "refuses_a_type_that_netbird_does_not_know" {
  command = plan

  variables {
    type    = "TXT"
    content = "maresa.kueber.eu"
  }

  expect_failures = [var.type]
}

run "refuses_an_address_that_is_none" {
  command = plan

  variables {
    content = "192.168.100.300"
  }

  expect_failures = [var.content]
}

run "refuses_an_ipv4_address_as_aaaa" {
  command = plan

  variables {
    type = "AAAA"
  }

  expect_failures = [var.content]
}

run "refuses_an_address_as_alias" {
  command = plan

  variables {
    type    = "CNAME"
    content = "fd00::20"
  }

  expect_failures = [var.content]
}

run "refuses_a_ttl_out_of_range" {
  command = plan

  variables {
    ttl = 30
  }

  expect_failures = [var.ttl]
}
