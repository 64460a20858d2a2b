resource "proxmox_virtual_environment_vm" "machine" {
  for_each = local.machines

  name      = each.key
  node_name = each.value.host
  vm_id     = each.value.id
  tags      = ["bootstrap", local.site.name]

  machine       = "q35"
  scsi_hardware = "virtio-scsi-single"
  boot_order    = ["scsi0"]
  on_boot       = true
  started       = contains(var.attached, each.key)
  # A second lock beside prevent_destroy: it stands in Proxmox, whoever asks.
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

  memory {
    dedicated = each.value.memory
    floating  = 0
  }

  dynamic "disk" {
    for_each = each.value.disks

    content {
      datastore_id = local.site.storage.pool
      interface    = "scsi${disk.key}"
      size         = disk.value
      file_format  = "raw"
      discard      = "on"
      iothread     = true
      ssd          = true
      # Only the first disk begins with an image.
      file_id     = disk.key == 0 && each.value.image == null ? proxmox_download_file.talos[each.value.host].id : null
      import_from = disk.key == 0 ? each.value.image : null
    }
  }

  network_device {
    bridge       = "vmbr0"
    vlan_id      = local.site.vlans[each.value.vlan].id
    disconnected = !contains(var.attached, each.key)
  }

  initialization {
    datastore_id = local.site.storage.pool

    ip_config {
      ipv4 {
        address = "${each.value.address}/${split("/", local.site.vlans[each.value.vlan].subnet)[1]}"
        gateway = local.site.vlans[each.value.vlan].gateway
      }
    }

    dns {
      domain  = local.site.domain
      servers = [local.site.vlans[each.value.vlan].gateway]
    }

    # Talos takes its configuration over the API and knows no users.
    dynamic "user_account" {
      for_each = each.value.user[*]

      content {
        username = user_account.value
        keys     = [var.authorized_key]
      }
    }
  }

  operating_system {
    type = "l26"
  }

  lifecycle {
    prevent_destroy = true
    # An image only matters at birth: a newer one must not replace a machine.
    ignore_changes = [disk[0].file_id, disk[0].import_from]
  }
}
