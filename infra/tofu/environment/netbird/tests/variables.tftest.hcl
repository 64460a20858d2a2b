# Every provider is mocked and every run only plans: nothing real is read or touched.
mock_provider "netbird" {}

run "accepts_what_is_meant" {
  command = plan
}

run "refuses_to_lose_a_group_that_production_reads" {
  command = plan

  variables {
    groups = { admins = "a", family = "f", servers = "s", services = "s" }
  }

  expect_failures = [var.groups]
}

run "refuses_a_user_without_a_mail_address" {
  command = plan

  variables {
    users = { johnny = { email = "johnny" } }
  }

  expect_failures = [var.users]
}

run "refuses_a_second_owner" {
  command = plan

  variables {
    users = { johnny = { email = "johnny@kueber.eu", role = "owner" } }
  }

  expect_failures = [var.users]
}

run "refuses_a_group_that_is_not_there" {
  command = plan

  variables {
    users = { johnny = { email = "johnny@kueber.eu", groups = ["admin"] } }
  }

  expect_failures = [var.users]
}

run "refuses_a_token_for_ever" {
  command = plan

  variables {
    service_accounts = { ci = { role = "admin", token_expiration_days = 3650 } }
  }

  expect_failures = [var.service_accounts]
}

run "refuses_a_role_that_is_none" {
  command = plan

  variables {
    service_accounts = { ci = { role = "root", token_expiration_days = 30 } }
  }

  expect_failures = [var.service_accounts]
}

run "refuses_plain_http" {
  command = plan

  variables {
    netbird_management_url = "http://netbird.kueber.eu"
  }

  expect_failures = [var.netbird_management_url]
}

run "refuses_a_zone_that_is_no_domain" {
  command = plan

  variables {
    zone = "internal"
  }

  expect_failures = [var.zone]
}
