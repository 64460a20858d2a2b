# By a hash of the configuration in state the provider sees a change, though it never stores the configuration.
resource "talos_machine_configuration_apply" "node" {
  for_each = local.nodes

  node                           = each.value.address
  client_configuration_wo        = ephemeral.talos_client_configuration.operator.client_configuration
  machine_configuration_input_wo = ephemeral.talos_machine_configuration.node[each.key].machine_configuration
  apply_mode                     = var.apply_mode
}

# Once in the life of the cluster, on the one node that site.yaml names: a second node would begin a second cluster. It
# waits for every control plane's configuration, since until then a node only has its maintenance API.
resource "talos_machine_bootstrap" "etcd" {
  node                    = local.kubernetes.control_planes[local.kubernetes.bootstrap].address
  client_configuration_wo = ephemeral.talos_client_configuration.operator.client_configuration

  lifecycle {
    prevent_destroy = true
    # Naming another node later must not bootstrap a second time.
    ignore_changes = [node]
  }

  depends_on = [talos_machine_configuration_apply.node]
}
