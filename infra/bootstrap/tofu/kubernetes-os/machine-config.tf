locals {
  # Strategic merge patches, as text: what the tests give to Talos' own machinery.
  patches = {
    for name, node in local.nodes : name => concat(
      [yamlencode({
        machine = {
          install = {
            disk  = node.disk
            image = "factory.talos.dev/${node.type == "worker" ? "nocloud" : "metal"}-installer/${local.installers[node.type]}:${local.kubernetes.talos}"
          }
          kubelet = { nodeIP = { validSubnets = [local.site.vlans[node.vlan].subnet] } }
          time    = { servers = [local.site.vlans[node.vlan].gateway] }
        }
        cluster = {
          network = {
            podSubnets     = [local.kubernetes.pods]
            serviceSubnets = [local.kubernetes.services]
          }
        }
      })],
      [yamlencode({
        apiVersion = "v1alpha1"
        kind       = "HostnameConfig"
        auto       = "off"
        hostname   = name
      })],
      # Proxmox hands a virtual machine its address on the cloud-init drive; a machine of metal has nobody who does.
      node.link == null ? [] : [
        yamlencode({
          apiVersion = "v1alpha1"
          kind       = "LinkConfig"
          name       = node.link
          up         = true
          addresses  = [{ address = "${node.address}/${split("/", local.site.vlans[node.vlan].subnet)[1]}" }]
          routes     = [{ gateway = local.site.vlans[node.vlan].gateway }]
        }),
        yamlencode({
          apiVersion  = "v1alpha1"
          kind        = "ResolverConfig"
          nameservers = [{ address = local.site.vlans[node.vlan].gateway }]
        }),
      ],
      node.type == "worker" ? [] : [
        yamlencode({
          apiVersion = "v1alpha1"
          kind       = "Layer2VIPConfig"
          name       = local.kubernetes.endpoint
          link       = node.link
        }),
        yamlencode({
          cluster = {
            apiServer = { certSANs = [local.kubernetes.endpoint, "kubernetes.${local.site.domain}"] }
            etcd      = { advertisedSubnets = [local.site.vlans[node.vlan].subnet] }
          }
        }),
      ],
      # Longhorn keeps its volumes on the second disk.
      node.type == "controlplane" ? [] : [yamlencode({
        machine = {
          disks = [{ device = "/dev/sdb", partitions = [{ mountpoint = "/var/lib/longhorn" }] }]
          kubelet = { extraMounts = [{
            source      = "/var/lib/longhorn"
            destination = "/var/lib/longhorn"
            type        = "bind"
            options     = ["bind", "rshared", "rw"]
          }] }
        }
      })],
    )
  }

  installers = { for type, schematic in talos_image_factory_schematic.installer : type => schematic.id }
}

resource "talos_image_factory_schematic" "installer" {
  for_each = {
    controlplane = ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"]
    worker       = ["siderolabs/iscsi-tools", "siderolabs/qemu-guest-agent", "siderolabs/util-linux-tools"]
  }

  schematic = yamlencode({ customization = { systemExtensions = { officialExtensions = each.value } } })
}

ephemeral "talos_machine_configuration" "node" {
  for_each = local.nodes

  cluster_name       = local.kubernetes.cluster
  cluster_endpoint   = local.endpoint
  machine_type       = each.value.type
  machine_secrets    = local.machine_secrets
  talos_version      = local.kubernetes.talos
  kubernetes_version = local.kubernetes.version
  config_patches     = local.patches[each.key]
}

ephemeral "talos_client_configuration" "operator" {
  cluster_name    = local.kubernetes.cluster
  machine_secrets = local.machine_secrets
}
