# shellcheck shell=bash
# A network of its own: no port is taken from this machine, nothing can reach out, and what kube-proxy and the bridge
# leave behind goes with it.

# An RFC 1918 address, so that Crossplane speaks plain HTTP to the registry at it.
node_ip=10.77.0.1
pod_subnet=10.78.0.0/24
service_subnet=10.96.0.0/16

create_network() {
  ip netns add "$netns"
  inside=(nsenter "--net=/run/netns/$netns")
  ip -n "$netns" link set lo up
  ip -n "$netns" address add "$node_ip/32" dev lo
  # Leads nowhere. Without a default route some parts find no address to bind to; without a source the API server's calls
  # of webhooks would go out from 127.0.0.1, and no pod answers that.
  ip -n "$netns" route add default dev lo src "$node_ip"
  "${inside[@]}" sysctl -qw net.ipv4.ip_forward=1
}

remove_network() {
  local pid
  # Not of our making where the cluster is somebody else's.
  [[ -e /run/netns/$netns ]] || return 0
  for pid in $(ip netns pids "$netns"); do kill -KILL "$pid" 2>/dev/null || true; done
  ip netns delete "$netns"
}
