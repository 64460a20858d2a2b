# The provider is mocked: this proves the module, not NetBird.
mock_provider "netbird" {}

variables {
  name           = "servers"
  routing_groups = ["group-b", "group-a"]
  resources = {
    servers = { address = "192.168.100.0/24", groups = ["group-c"] }
    nas     = { address = "192.168.100.20", groups = ["group-c", "group-d"], enabled = false }
    apps    = { address = "*.int.kueber.eu", groups = ["group-c"], description = "Apps" }
  }
}

run "network" {
  assert {
    condition     = netbird_network.this.name == "servers"
    error_message = "The network has another name."
  }

  assert {
    condition     = output.id == netbird_network.this.id
    error_message = "The output is not the network's id."
  }
}

run "resources_lie_in_the_network" {
  assert {
    condition     = tolist(keys(netbird_network_resource.this)) == tolist(["apps", "nas", "servers"])
    error_message = "Not every resource became one."
  }

  assert {
    condition     = alltrue([for resource in netbird_network_resource.this : resource.network_id == netbird_network.this.id])
    error_message = "A resource lies in another network."
  }

  assert {
    condition     = netbird_network_resource.this["servers"].address == "192.168.100.0/24"
    error_message = "The subnet is another one."
  }

  assert {
    condition     = netbird_network_resource.this["nas"].enabled == false && netbird_network_resource.this["servers"].enabled == true
    error_message = "Enabled is not passed on, or not the default."
  }
}

run "router" {
  assert {
    condition     = netbird_network_router.this.peer_groups == tolist(["group-a", "group-b"])
    error_message = "The routing groups are others, or unsorted: then every plan would show a change."
  }

  assert {
    condition     = netbird_network_router.this.masquerade
    error_message = "Masquerading is not the default."
  }
}

run "refuses_an_address_that_is_none" {
  command = plan

  variables {
    resources = { nas = { address = "192.168.100.300", groups = ["group-c"] } }
  }

  expect_failures = [var.resources]
}

run "refuses_a_resource_without_a_group" {
  command = plan

  variables {
    resources = { nas = { address = "192.168.100.20", groups = [] } }
  }

  expect_failures = [var.resources]
}

run "refuses_a_network_without_resources" {
  command = plan

  variables {
    resources = {}
  }

  expect_failures = [var.resources]
}

run "refuses_a_network_without_routing_peers" {
  command = plan

  variables {
    routing_groups = []
  }

  expect_failures = [var.routing_groups]
}

run "refuses_a_metric_out_of_range" {
  command = plan

  variables {
    metric = 0
  }

  expect_failures = [var.metric]
}
