locals {
  site = yamldecode(file(var.site_file))

  workers = {
    for name, worker in local.site.kubernetes.workers : name => merge(worker, { image = null, user = null })
  }
  machines = merge(local.workers, local.site.guests)
}
