# shellcheck shell=bash
# One real node: containerd, kubelet, kube-proxy, CoreDNS. Under settings that also do without CAP_SYS_RESOURCE and with
# cgroup v1, as in many a CI machine.

start_node() {
  mkdir -p "$work"/{containerd,kubelet,cni,certs.d,log/pods}
  write_containerd_configuration
  write_network_configuration
  write_kubelet_configuration
  start containerd containerd --config "$work/containerd.toml"
  start coredns "$(tools/path.sh coredns)" -conf "$work/Corefile"
  start kube-proxy "$kubernetes/kube-proxy" --config="$work/kube-proxy.yaml" --hostname-override=node
  await 30 'containerd answers' ctr --address "$work/containerd.sock" version
  start kubelet "$kubernetes/kubelet" --config="$work/kubelet.yaml" --kubeconfig="$work/kubelet.kubeconfig" \
    --hostname-override=node --node-ip="$node_ip" --root-dir="$work/kubelet" --cert-dir="$work/kubelet/pki"
}

await_node() {
  await 60 'the node is there' kubectl get node node
  kubectl wait --for=condition=Ready --timeout=60s node/node
}

write_containerd_configuration() {
  mkdir -p "$work/certs.d/$registry"
  printf 'server = "%s"\n[host."%s"]\n  capabilities = ["pull", "resolve"]\n' "http://$registry" "http://$registry" \
    >"$work/certs.d/$registry/hosts.toml"
  cat >"$work/containerd.toml" <<CONF
version = 2
root = "$work/containerd/root"
state = "$work/containerd/state"
[grpc]
  address = "$work/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$registry/pause:e2e"
  # Where root may not lower the OOM score, no sandbox would start.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "$work/certs.d"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$work/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
[plugins."io.containerd.internal.v1.opt"]
  path = "$work/containerd/opt"
CONF
}

write_network_configuration() {
  cat >"$work/cni/10-bridge.conflist" <<CONF
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true, "ipam": {
    "type": "host-local", "dataDir": "$work/cni/data",
    "ranges": [[{"subnet": "$pod_subnet"}]], "routes": [{"dst": "0.0.0.0/0"}]}}
]}
CONF
  cat >"$work/kube-proxy.yaml" <<CONF
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clientConnection: {kubeconfig: $work/proxy.kubeconfig}
# Leave this machine's kernel settings alone.
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
CONF
  cat >"$work/Corefile" <<CONF
.:53 {
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $work/admin.kubeconfig
  }
  cache 2
}
CONF
  : >"$work/resolv.conf"
}

write_kubelet_configuration() {
  create_cgroups
  cat >"$work/kubelet.yaml" <<CONF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$netns
enforceNodeAllocatable: []
containerRuntimeEndpoint: unix://$work/containerd.sock
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $work/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $work/pki/kubelet.crt
tlsPrivateKeyFile: $work/pki/kubelet.key
clusterDomain: cluster.local
clusterDNS: [$node_ip]
resolvConf: $work/resolv.conf
podLogsDir: $work/log/pods
failSwapOn: false
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
# Certificates that are changed reach the pods within seconds, not within a minute.
syncFrequency: 5s
CONF
}

# All pods together would otherwise get as much of the machine as one process outside, and tofu runs outside.
create_cgroups() {
  local folder
  for folder in $(cgroup_folders); do
    mkdir -p "$folder/$netns"
    [[ ! -f $folder/$netns/cpu.shares ]] || echo 10240 >"$folder/$netns/cpu.shares"
    [[ ! -f $folder/$netns/cpu.weight ]] || echo 1000 >"$folder/$netns/cpu.weight"
  done
}

# The root of each hierarchy of version 1 and, alone or beside them, the one of version 2.
cgroup_folders() { awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/mounts; }

# What runs in pods is found by its cgroup, so that nothing stays where containerd has ended before.
stop_node() {
  local networks network name pid mount
  for name in kubelet kube-proxy coredns; do stop "$name"; done
  # One for each pod, made by containerd. Those of others stay.
  networks=$(for pid in $(pod_processes); do ip netns identify "$pid"; done | sort -u)
  for pid in $(pod_processes); do kill -KILL "$pid" 2>/dev/null || true; done
  stop containerd
  awk -v folder="$work/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | sort -r |
    while read -r mount; do umount --lazy "$mount"; done
  for network in $networks; do [[ $network != cni-* ]] || ip netns delete "$network" || true; done
  remove_cgroups
}

pod_processes() {
  local folder
  for folder in $(cgroup_folders); do
    [[ ! -d $folder/$netns ]] || find "$folder/$netns" -name cgroup.procs -exec cat {} + 2>/dev/null || true
  done | sort -u
}

# A cgroup stays busy for a moment after its last process.
remove_cgroups() {
  local folder tries
  for folder in $(cgroup_folders); do
    for tries in {1..50}; do
      [[ -d $folder/$netns ]] || break
      find "$folder/$netns" -depth -type d -exec rmdir {} \; 2>/dev/null || true
      ((tries == 1)) || sleep 0.2
    done
  done
}
