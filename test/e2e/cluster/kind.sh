# shellcheck shell=bash
# The same suite on kind, for those who have Docker and a network. Not tried by those who wrote it: where they work no
# image can be pulled.

kind_name=tofu-workspace-e2e
kind_registry=$kind_name-registry

start_kind() {
  local address node
  kubeconfig=$work/kind.kubeconfig
  step 'kind cluster' kind create cluster --name "$kind_name" --kubeconfig "$kubeconfig" --wait 3m
  step 'registry' docker run --detach --name "$kind_registry" --network kind --publish 127.0.0.1:5001:5000 registry:2
  # An RFC 1918 address: Crossplane speaks plain HTTP to it, and containerd is told to.
  address=$(docker inspect --format '{{(index .NetworkSettings.Networks "kind").IPAddress}}' "$kind_registry"):5000
  for node in $(kind get nodes --name "$kind_name"); do
    docker exec -i "$node" sh -c "mkdir -p /etc/containerd/certs.d/$address && cat >/etc/containerd/certs.d/$address/hosts.toml" <<<"server = \"http://$address\""
  done
  step 'Crossplane' "$(tools/path.sh helm)" --kubeconfig "$kubeconfig" install crossplane crossplane --version "$(bash -c 'source tools/lib.sh && tool_version crossplane')" \
    --repo https://charts.crossplane.io/stable --namespace crossplane-system --create-namespace --set 'args={--debug}' --wait --timeout 5m
  REGISTRY=127.0.0.1:5001/kueber
  use_cluster
  pull_from=$address/kueber
}

stop_kind() {
  [[ ${CLUSTER-} == kind ]] || return 0
  kind delete cluster --name "$kind_name" || true
  docker rm --force "$kind_registry" || true
}
