# The seven Talos VMs. The nodes stand here and not in variables.tf: their addresses are half of a seam, the other half is
# infra/talos/talos/topf.yaml, and nothing but a test holds the two together.
variable "talos_nodes" {
  description = "VMs of the cluster by host name. Changing an address here does not change it in topf.yaml."
  type = map(object({
    role      = string
    host      = string
    address   = string
    vm_id     = number
    cores     = number
    memory_mb = number
    disk_gb   = number
    igpu      = optional(bool, false)
  }))
  default = {
    talos-cp-01 = {
      role  = "control-plane", host = "proxmox-1", address = "192.168.100.101/24", vm_id = 101
      cores = 4, memory_mb = 8192, disk_gb = 64
    }
    talos-cp-02 = {
      role  = "control-plane", host = "proxmox-2", address = "192.168.100.102/24", vm_id = 102
      cores = 4, memory_mb = 8192, disk_gb = 64
    }
    talos-cp-04 = {
      role  = "control-plane", host = "proxmox-4", address = "192.168.100.104/24", vm_id = 104
      cores = 4, memory_mb = 8192, disk_gb = 64
    }
    talos-worker-01 = {
      role  = "worker", host = "proxmox-1", address = "192.168.100.111/24", vm_id = 111
      cores = 8, memory_mb = 24576, disk_gb = 256, igpu = true
    }
    talos-worker-02 = {
      role  = "worker", host = "proxmox-2", address = "192.168.100.112/24", vm_id = 112
      cores = 8, memory_mb = 24576, disk_gb = 256, igpu = true
    }
    talos-worker-03 = {
      role  = "worker", host = "proxmox-3", address = "192.168.100.113/24", vm_id = 113
      cores = 8, memory_mb = 24576, disk_gb = 256, igpu = true
    }
    talos-worker-04 = {
      role  = "worker", host = "proxmox-4", address = "192.168.100.114/24", vm_id = 114
      cores = 8, memory_mb = 24576, disk_gb = 256, igpu = true
    }
  }
  nullable = false

  validation {
    condition     = alltrue([for name in keys(var.talos_nodes) : can(regex("^talos-(cp|worker)-[0-9]{2}$", name))])
    error_message = "A node's name has the form talos-cp-01 or talos-worker-01."
  }

  validation {
    condition = alltrue([
      for name, node in var.talos_nodes :
      node.role == "control-plane" && startswith(name, "talos-cp-") || node.role == "worker" && startswith(name, "talos-worker-")
    ])
    error_message = "A role is control-plane (talos-cp-…) or worker (talos-worker-…)."
  }

  # An even number survives no more failures than the odd number below it.
  validation {
    condition     = length([for node in var.talos_nodes : node if node.role == "control-plane"]) % 2 == 1
    error_message = "etcd needs an odd number of control planes."
  }

  validation {
    condition     = alltrue([for node in var.talos_nodes : contains(keys(var.hypervisors), node.host)])
    error_message = "A node stands on a host that is not among the hypervisors."
  }

  validation {
    condition = alltrue([
      for node in var.talos_nodes :
      can(cidrhost(node.address, 0)) && try(cidrsubnet(node.address, 0, 0) == var.server_network.subnet, false)
    ])
    error_message = "A node's address lies in the server network and carries its prefix: 192.168.100.101/24."
  }

  validation {
    condition = length(distinct(concat(
      [for node in var.talos_nodes : split("/", node.address)[0]],
      [for host in var.hypervisors : host.address],
      values(var.other_hosts),
      [var.server_network.gateway],
    ))) == length(var.talos_nodes) + length(var.hypervisors) + length(var.other_hosts) + 1
    error_message = "Two of the nodes, hypervisors, other hosts and the gateway have the same address."
  }

  validation {
    condition     = length(distinct([for node in var.talos_nodes : node.vm_id])) == length(var.talos_nodes)
    error_message = "Two nodes have the same VM id."
  }

  # A host has one iGPU, and only one VM can hold it.
  validation {
    condition     = alltrue([for host, nodes in { for node in var.talos_nodes : node.host => node... if node.igpu } : length(nodes) == 1])
    error_message = "Two nodes on one host want its iGPU."
  }

  validation {
    condition     = alltrue([for node in var.talos_nodes : !node.igpu || try(var.hypervisors[node.host].igpu, null) != null])
    error_message = "A node wants the iGPU of a host that was not commissioned for it: run Ansible's proxmox_commissioning.yaml there, then describe the device in hypervisors."
  }
}

locals {
  # What the first image holds beside Talos. Later images are those that topf.yaml names, with the same schematics.
  schematics = { plain = "schematic.yaml", igpu = "schematic-igpu.yaml" }

  # Once for each host: the datastore is local to it.
  images = {
    for image in distinct([
      for node in var.talos_nodes : { host = node.host, schematic = node.igpu ? "igpu" : "plain" }
    ]) : "${image.host}/${image.schematic}" => image
  }
}

resource "talos_image_factory_schematic" "first_boot" {
  for_each = local.schematics

  schematic = file("${path.module}/${each.value}")
}

# The name ends in .img because Proxmox takes no .raw as an ISO.
resource "proxmox_download_file" "talos" {
  for_each = local.images

  node_name               = each.value.host
  datastore_id            = var.datastores.images
  content_type            = "iso"
  file_name               = "talos-${var.talos_version}-${each.value.schematic}-nocloud-amd64.img"
  url                     = "https://factory.talos.dev/image/${talos_image_factory_schematic.first_boot[each.value.schematic].id}/${var.talos_version}/nocloud-amd64.raw.gz"
  decompression_algorithm = "gz"
  overwrite               = false
  upload_timeout          = 1800
}

# A name for the same device on every host, so that a VM need not know the host's PCI path.
resource "proxmox_hardware_mapping_pci" "igpu" {
  name    = "iGPU"
  comment = "Integrated GPU of the hosts that Ansible has commissioned"
  map = [
    for name, host in var.hypervisors : {
      node         = name
      path         = host.igpu.path
      id           = host.igpu.id
      subsystem_id = host.igpu.subsystem_id
      iommu_group  = host.igpu.iommu_group
    } if host.igpu != null
  ]
}

resource "proxmox_virtual_environment_vm" "talos" {
  for_each = var.talos_nodes

  name        = each.key
  description = "Talos ${each.value.role}. Its configuration comes from infra/talos over the Talos API."
  tags        = ["talos", each.value.role]
  node_name   = each.value.host
  vm_id       = each.value.vm_id

  machine       = "q35"
  bios          = "seabios"
  scsi_hardware = "virtio-scsi-single"
  boot_order    = ["scsi0"]
  on_boot       = true
  # Proxmox itself refuses to remove the VM or its disks while this is set, whoever asks.
  protection = true
  # A change that needs a reboot waits for someone to drain the node.
  reboot_after_update = false

  agent {
    enabled = true
  }

  cpu {
    cores = each.value.cores
    type  = "host"
  }

  # No ballooning: the kubelet takes what it sees at start for granted, and passthrough pins all memory anyway.
  memory {
    dedicated = each.value.memory_mb
    floating  = 0
  }

  disk {
    interface    = "scsi0"
    datastore_id = var.datastores.disks
    file_id      = proxmox_download_file.talos["${each.value.host}/${each.value.igpu ? "igpu" : "plain"}"].id
    file_format  = "raw"
    size         = each.value.disk_gb
    discard      = "on"
    iothread     = true
    ssd          = true
  }

  network_device {
    bridge  = var.server_network.bridge
    model   = "virtio"
    vlan_id = var.server_network.vlan_id
  }

  # The drive that Talos' nocloud platform reads at the first boot: the address by which topf finds the node.
  initialization {
    datastore_id = var.datastores.disks

    ip_config {
      ipv4 {
        address = each.value.address
        gateway = var.server_network.gateway
      }
    }

    dns {
      servers = [var.server_network.gateway]
    }
  }

  operating_system {
    type = "l26"
  }

  dynamic "hostpci" {
    for_each = each.value.igpu ? [proxmox_hardware_mapping_pci.igpu.name] : []

    content {
      device  = "hostpci0"
      mapping = hostpci.value
      pcie    = true
      rombar  = true
      xvga    = false
    }
  }

  startup {
    order    = each.value.role == "control-plane" ? 1 : 2
    up_delay = 15
  }

  lifecycle {
    # With its disk a node loses etcd or the data of apps. How a node is retired: README.md.
    prevent_destroy = true
    # The image is that of the first boot; a newer one would replace the VM.
    ignore_changes = [disk[0].file_id]
  }
}
