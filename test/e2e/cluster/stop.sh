# shellcheck shell=bash
# The end of a cluster of ours, in the order that leaves nothing behind.

stop_cluster() {
  local name
  stop_kind
  # Whoever talks to the API server first, then the pods, then what they need.
  for name in provider-opentofu kube-scheduler kube-controller-manager; do stop "$name"; done
  stop_node
  for name in kube-apiserver etcd registry state-store; do stop "$name"; done
  remove_network
  rm -rf "$work"
}
