# shellcheck shell=bash
# Crossplane by its own chart, which its Go module contains.

find_crossplane_module() {
  crossplane_module=$(cd tools/crossplane && GOWORK=off GOFLAGS=-mod=mod go mod download -json \
    "github.com/crossplane/crossplane/v2@$(bash -c 'source tools/lib.sh && tool_version crossplane')" | jq -r .Dir)
}

install_crossplane() {
  "${inside[@]}" "$(tools/path.sh helm)" --kubeconfig "$kubeconfig" install crossplane "$crossplane_module/cluster/charts/crossplane" \
    --namespace crossplane-system --create-namespace --wait --timeout 3m \
    --set "image.repository=$registry/crossplane/crossplane,image.tag=e2e,args={--debug}"
}
