# Every provider is mocked and every run only plans: nothing real is read or touched.
mock_provider "proxmox" {}
mock_provider "talos" {}
mock_provider "netbird" {}

override_data {
  target = data.terraform_remote_state.netbird
  values = {
    outputs = {
      group_ids     = { hypervisors = "group-hypervisors", servers = "group-servers" }
      internal_zone = { id = "zone-1", domain = "int.kueber.eu" }
    }
  }
}

run "accepts_what_is_meant" {
  command = plan
}

run "accepts_a_host_that_is_not_commissioned_when_no_node_wants_its_igpu" {
  command = plan

  variables {
    hypervisors = { proxmox-1 = { address = "192.168.100.11" } }
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }
}

run "refuses_a_name_of_another_form" {
  command = plan

  variables {
    talos_nodes = {
      cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_a_role_that_belies_the_name" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01     = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
      talos-worker-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.111/24", vm_id = 111, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_an_even_number_of_control_planes" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
      talos-cp-02 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.102/24", vm_id = 102, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_a_host_that_is_not_there" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-5", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_an_address_outside_the_network" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.101.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_an_address_with_another_prefix" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/25", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_an_address_without_a_prefix" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_the_address_of_another_node" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01     = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
      talos-worker-01 = { role = "worker", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 111, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_the_address_of_a_hypervisor" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.11/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_the_address_of_the_nas" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.20/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_the_address_of_the_gateway" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.1/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_a_vm_id_twice" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01     = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
      talos-worker-01 = { role = "worker", host = "proxmox-1", address = "192.168.100.111/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_two_nodes_on_one_igpu" {
  command = plan

  variables {
    talos_nodes = {
      talos-cp-01     = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
      talos-worker-01 = { role = "worker", host = "proxmox-1", address = "192.168.100.111/24", vm_id = 111, cores = 4, memory_mb = 8192, disk_gb = 64, igpu = true }
      talos-worker-02 = { role = "worker", host = "proxmox-1", address = "192.168.100.112/24", vm_id = 112, cores = 4, memory_mb = 8192, disk_gb = 64, igpu = true }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_the_igpu_of_a_host_that_was_not_commissioned" {
  command = plan

  variables {
    hypervisors = { proxmox-1 = { address = "192.168.100.11" } }
    talos_nodes = {
      talos-cp-01     = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
      talos-worker-01 = { role = "worker", host = "proxmox-1", address = "192.168.100.111/24", vm_id = 111, cores = 4, memory_mb = 8192, disk_gb = 64, igpu = true }
    }
  }

  expect_failures = [var.talos_nodes]
}

run "refuses_a_host_address_with_a_prefix" {
  command = plan

  variables {
    hypervisors = { proxmox-1 = { address = "192.168.100.11/24", igpu = { path = "0000:00:02.0", id = "8086:46a6", subsystem_id = "8086:7270", iommu_group = 0 } } }
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.hypervisors]
}

run "refuses_two_hosts_on_one_address" {
  command = plan

  variables {
    hypervisors = { proxmox-1 = { address = "192.168.100.11" }, proxmox-2 = { address = "192.168.100.11" } }
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.hypervisors]
}

run "refuses_a_short_pci_path" {
  command = plan

  variables {
    hypervisors = { proxmox-1 = { address = "192.168.100.11", igpu = { path = "00:02.0", id = "8086:46a6", subsystem_id = "8086:7270", iommu_group = 0 } } }
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.hypervisors]
}

run "refuses_a_pci_id_with_a_prefix" {
  command = plan

  variables {
    hypervisors = { proxmox-1 = { address = "192.168.100.11", igpu = { path = "0000:00:02.0", id = "0x8086:0x46a6", subsystem_id = "8086:7270", iommu_group = 0 } } }
    talos_nodes = {
      talos-cp-01 = { role = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101, cores = 4, memory_mb = 8192, disk_gb = 64 }
    }
  }

  expect_failures = [var.hypervisors]
}

run "refuses_a_vlan_out_of_range" {
  command = plan

  variables {
    server_network = { subnet = "192.168.100.0/24", gateway = "192.168.100.1", bridge = "vmbr0", vlan_id = 4095 }
  }

  expect_failures = [var.server_network]
}

run "refuses_a_version_without_v" {
  command = plan

  variables {
    talos_version = "1.13.7"
  }

  expect_failures = [var.talos_version]
}

run "refuses_plain_http" {
  command = plan

  variables {
    proxmox_endpoint = "http://192.168.100.11:8006/"
  }

  expect_failures = [var.proxmox_endpoint]
}
