# shellcheck shell=bash
# Crossplane by its own chart, which its Go module contains.

find_crossplane_module() {
  local version
  version=$(bash -c 'source tools/lib.sh && tool_version crossplane')
  crossplane_module=$(cd tools/crossplane && GOWORK=off go mod download -json "github.com/crossplane/crossplane/v2@$version" | jq -r .Dir)
  [[ -d $crossplane_module/cluster/charts/crossplane ]] || fail "no chart in the module of Crossplane $version"
}

# The faults change one TofuWorkspace more often in a minute than an app does in a week: with the burst of a hundred that core
# has by itself its circuit breaker opens, and drops changes for five minutes.
install_crossplane() {
  "${inside[@]}" "$(tools/path.sh helm)" --kubeconfig "$kubeconfig" install crossplane "$crossplane_module/cluster/charts/crossplane" \
    --namespace crossplane-system --create-namespace --wait --timeout 3m \
    --set "image.repository=$registry/crossplane/crossplane,image.tag=e2e,args={--debug,--circuit-breaker-burst=10000}"
}
