# shellcheck shell=bash
# The end of a cluster of ours, in the order that leaves nothing behind.

stop_cluster() {
  local name
  # To the end, whatever fails on the way.
  set +e
  stop_kind
  # Whoever talks to the API server first, then the pods, then what they need.
  for name in provider-opentofu kube-scheduler kube-controller-manager; do stop "$name"; done
  stop_node
  for name in kube-apiserver etcd registry state-store; do stop "$name"; done
  remove_network
  rm -rf "$work"
  nothing_left
}

# Whoever starts the next one need not look for the remains of this.
nothing_left() {
  local folder left=()
  [[ ! -e /run/netns/$netns ]] || left+=("network namespace $netns")
  [[ ! -e $work ]] || left+=("$work")
  for folder in $(cgroup_folders); do [[ ! -d $folder/$netns ]] || left+=("cgroup $folder/$netns"); done
  ((${#left[@]} == 0)) || fail "could not remove: ${left[*]}"
}
