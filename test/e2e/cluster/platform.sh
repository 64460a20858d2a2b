# shellcheck shell=bash
# What a platform team installs, by the files and the words of the README, on whatever cluster $kubeconfig leads to.

install_platform() {
  # The CRDs of those that the required objects belong to.
  kubectl apply --server-side -f data/crds/k8up.io_schedules.yaml -f data/crds/gateway.networking.k8s.io_httproutes.yaml
  rewrite_images kueber ghcr.io/kueber/
  [[ ${E2E_PROVIDER-} == real ]] || install_provider_package
  install_as_documented
  kubectl wait --for=condition=Healthy --timeout=3m configuration.pkg.crossplane.io/configuration-tofu-workspace
  kubectl wait --for=condition=Established --timeout=1m xrd/tofuworkspaces.platform.kueber.eu
}

install_provider_package() {
  rewrite_images upbound xpkg.upbound.io/upbound/
  kubectl apply -f - <<CONF
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: upbound-provider-opentofu
spec:
  package: $provider_package:$provider_version
CONF
  kubectl wait --for=condition=Healthy --timeout=3m provider.pkg.crossplane.io/upbound-provider-opentofu
}

# The object of docs/install.md, with our registry in it.
rewrite_images() {
  kubectl apply -f - <<CONF
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata:
  name: e2e-$1
spec:
  matchImages: [{type: Prefix, prefix: $2}]
  rewriteImage: {prefix: $pull_from/}
CONF
}

# Runs the README's own lines, so that they cannot be wrong without this going red.
install_as_documented() {
  local lines
  lines=$(awk '/^## Install in a cluster/ { section = 1 } section && /^```sh/ { block = 1; next } block && /^```/ { exit } block' README.md)
  [[ $(grep -c '^kubectl ' <<<"$lines") == 3 ]] || fail "README.md: expected three lines of kubectl under 'Install in a cluster', found: $lines"
  mkdir -p "$work/bin"
  printf '#!/bin/sh\nexec %s "%s/kubectl" --kubeconfig "%s" "$@"\n' "${inside[*]}" "$kubernetes" "$kubeconfig" >"$work/bin/kubectl"
  chmod +x "$work/bin/kubectl"
  PATH=$work/bin:$PATH bash -euo pipefail -c "$lines"
}

# The S3 server that keeps the states, under the name and at the port that the Composition has for it.
start_state_store() {
  mkdir -p "$work/state/objects/$state_bucket" "$work/state/metadata"
  start state-store env ROOT_ACCESS_KEY=e2e-access ROOT_SECRET_KEY=e2e-secret-access-key "$(tools/path.sh versitygw)" \
    --region fsn1 --port "$state_ip:443" --cert "$work/pki/state-store.crt" --key "$work/pki/state-store.key" --quiet \
    posix --sidecar "$work/state/metadata" "$work/state/objects"
  await 20 'the state store answers' "${inside[@]}" bash -c "</dev/tcp/$state_ip/443"
}

# The controller of the stand-in provider, as a process with the rights of the provider's own service account. It finds
# the state store under the Composition's name for it, and trusts it, in files that only it sees.
start_provider() {
  local account files=$work/provider
  mkdir -p "$files/remote"
  "$(tools/path.sh schema-replay)" mirror "$files/mirror" \
    data/provider-schemas/backblaze__b2.json=0.13.0 data/provider-schemas/netbirdio__netbird.json=0.0.10
  jq -n '{objects: {netbird_dns_zone: {"zone-1": {id: "zone-1", name: "internal", domain: "int.kueber.eu", enabled: true}}}}' \
    >"$files/remote/world.json"
  # The fewest iterations that OpenTofu derives a key with. With its own default of three times as many, that is two thirds
  # of what a command costs.
  cat >"$files/tofu" <<CONF
#!/bin/sh
TF_ENCRYPTION='key_provider "pbkdf2" "passphrase" { iterations = 200000 }' exec "$(tools/path.sh opentofu)" "\$@"
CONF
  chmod +x "$files/tofu"
  account=$(kubectl get providerrevisions -o json |
    jq -r '.items[] | select(.spec.desiredState == "Active") | .metadata.name' | grep -m1 provider-opentofu)
  write_token_kubeconfig "$account" "$files/kubeconfig"
  { cat /etc/hosts && echo "$state_ip $state_host"; } >"$files/hosts"
  cat /etc/ssl/certs/ca-certificates.crt "$work/pki/ca.crt" >"$files/authorities.crt"
  # shellcheck disable=SC2016 # for the inner shell
  start provider-opentofu unshare --mount bash -euc '
    mount --bind "$1/hosts" /etc/hosts
    mount --bind "$1/authorities.crt" /etc/ssl/certs/ca-certificates.crt
    exec node --import tsx test/e2e/provider-opentofu/main.ts --kubeconfig "$1/kubeconfig" --tofu "$1/tofu" --mirror "$1/mirror" \
      --remote "$1/remote" --work "$1/work" --poll 60 --poll-jitter 20 --backoff-max 10 --max-reconcile-rate 3' \
    provider "$files"
}

# write_token_kubeconfig SERVICE-ACCOUNT FILE
write_token_kubeconfig() {
  local token
  token=$(kubectl --namespace crossplane-system create token "$1" --duration=24h)
  kubectl config view --minify --raw --output json |
    jq --arg token "$token" '.users[0].user = {token: $token}' >"$2"
}

# By stand-ins, so that the tests have a Composition to migrate from, and a version to upgrade from.
install_earlier() {
  rewrite_images crossplane-contrib xpkg.crossplane.io/crossplane-contrib/
  kubectl apply -f - <<CONF
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata:
  name: function-go-templating
spec:
  package: $older_package:$older_version
CONF
  kubectl wait --for=condition=Healthy --timeout=3m function.pkg.crossplane.io/function-go-templating
}
