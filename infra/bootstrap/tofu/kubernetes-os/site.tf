locals {
  site       = yamldecode(file(var.site_file))
  kubernetes = local.site.kubernetes
  endpoint   = "https://${local.kubernetes.endpoint}:6443"

  nodes = merge(
    { for name, node in local.kubernetes.control_planes : name => merge(node, { type = "controlplane" }) },
    { for name, node in local.kubernetes.workers : name => merge(node, { type = "worker", disk = "/dev/sda", link = null }) },
  )

  # The same names as the provider's, from those of Talos' own file.
  bundle = yamldecode(var.machine_secrets)
  machine_secrets = {
    cluster = { id = local.bundle.cluster.id, secret = local.bundle.cluster.secret }
    secrets = {
      bootstrap_token             = local.bundle.secrets.bootstraptoken
      secretbox_encryption_secret = local.bundle.secrets.secretboxencryptionsecret
      aescbc_encryption_secret    = null
    }
    trustdinfo = { token = local.bundle.trustdinfo.token }
    certs = {
      etcd               = { cert = local.bundle.certs.etcd.crt, key = local.bundle.certs.etcd.key }
      k8s                = { cert = local.bundle.certs.k8s.crt, key = local.bundle.certs.k8s.key }
      k8s_aggregator     = { cert = local.bundle.certs.k8saggregator.crt, key = local.bundle.certs.k8saggregator.key }
      k8s_serviceaccount = { key = local.bundle.certs.k8sserviceaccount.key }
      os                 = { cert = local.bundle.certs.os.crt, key = local.bundle.certs.os.key }
    }
  }
}
