# The agent lets Proxmox see the addresses; without the extension, creating a machine with agent.enabled would wait for it.
resource "talos_image_factory_schematic" "worker" {
  schematic = yamlencode({
    customization = { systemExtensions = { officialExtensions = [
      "siderolabs/iscsi-tools",
      "siderolabs/qemu-guest-agent",
      "siderolabs/util-linux-tools",
    ] } }
  })
}

# Once for each host with workers: the datastore is local to it.
resource "proxmox_download_file" "talos" {
  for_each = toset([for worker in local.workers : worker.host])

  node_name               = each.key
  datastore_id            = local.site.storage.images
  content_type            = "iso"
  file_name               = "talos-${local.site.kubernetes.talos}-nocloud-amd64.img"
  url                     = "https://factory.talos.dev/image/${talos_image_factory_schematic.worker.id}/${local.site.kubernetes.talos}/nocloud-amd64.raw.gz"
  decompression_algorithm = "gz"
  overwrite               = false
  upload_timeout          = 1800
}
