#!/usr/bin/env bash
# Starts a cluster from the real parts, installs the packages as the README says, runs the suite: `make e2e`.
# Needs root on Debian with the packages that .ci/run installs, and the tools of `make e2e-tools`. Everything runs in a
# network namespace of its own and is ended by pid, also after Ctrl-C.
#   run.sh                                     a cluster of its own
#   run.sh --kubeconfig FILE                   a cluster that is there, with Crossplane in it and nothing of ours
#   run.sh stop WORK-FOLDER NETWORK-NAMESPACE  ends what KEEP=1 has left
# From the environment:
#   ARGS          for vitest, e.g. ARGS="-t 'two namespaces'"
#   KEEP=1        leaves the cluster running, and says how to reach and how to end it
#   CLUSTER=kind  makes the cluster with kind, where there are Docker and a network
#   REGISTRY      HOST/ORGANISATION to push to, for a cluster that is there; it must be able to pull from it
#   E2E_PROVIDER=real    provider-opentofu is in the cluster already; no stand-in is started
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=test/e2e/cluster/processes.sh
source test/e2e/cluster/processes.sh
# shellcheck source=test/e2e/cluster/network.sh
source test/e2e/cluster/network.sh
# shellcheck source=test/e2e/cluster/certificates.sh
source test/e2e/cluster/certificates.sh
# shellcheck source=test/e2e/cluster/control-plane.sh
source test/e2e/cluster/control-plane.sh
# shellcheck source=test/e2e/cluster/node.sh
source test/e2e/cluster/node.sh
# shellcheck source=test/e2e/cluster/images.sh
source test/e2e/cluster/images.sh
# shellcheck source=test/e2e/cluster/crossplane.sh
source test/e2e/cluster/crossplane.sh
# shellcheck source=test/e2e/cluster/packages.sh
source test/e2e/cluster/packages.sh
# shellcheck source=test/e2e/cluster/kind.sh
source test/e2e/cluster/kind.sh
# shellcheck source=test/e2e/cluster/platform.sh
source test/e2e/cluster/platform.sh
# shellcheck source=test/e2e/cluster/stop.sh
source test/e2e/cluster/stop.sh

started=$SECONDS
state_host=fsn1.your-objectstorage.com
state_bucket=crossplane-talos-workspaces-995867de
state_ip=$node_ip
# Where images are made, where packages are pushed to, and where the cluster pulls them from.
registry=$node_ip:5000
push_to=$registry/kueber
pull_from=$push_to
own_cluster=1

clean() {
  local status=$?
  trap - EXIT INT TERM
  jobs -p | xargs -r kill 2>/dev/null || true
  if [[ -n ${KEEP-} && -e /run/netns/$netns ]]; then
    echo "left running: ${inside[*]} $kubernetes/kubectl --kubeconfig $kubeconfig get pods -A"
    echo "to end it: test/e2e/run.sh stop $work $netns"
    exit "$status"
  fi
  report_step
  ((status == 0)) || keep_logs
  stop_cluster
  ((status == 0)) || name_failed
  exit "$status"
}

# At the very end once more, where whoever reads a long log looks first.
name_failed() {
  local report
  for report in build/e2e-*.json; do
    [[ ! -f $report ]] || jq --raw-output '
      .testResults[] | select(.status == "failed")
      | (.name | sub(".*/suite/"; "")) as $file
      | ((.assertionResults[] | select(.status == "failed") | [.fullName, .failureMessages[0]]), (select(.message != "") | ["", .message]))
      | "failed: \($file) \(.[0])\n        \(.[1] | split("\n")[0] | .[:500])"' "$report"
  done
}

keep_logs() {
  rm -rf build/e2e-log
  mkdir -p build
  if [[ -f $kubeconfig ]]; then
    kubectl get --request-timeout=20s --all-namespaces --ignore-not-found --output yaml events,pods,tofuworkspaces,workspaces.opentofu.m.upbound.io,usages.protection.crossplane.io \
      >"$work/log/objects.yaml" 2>&1 || true
  fi
  cp -r "$work/log" build/e2e-log
  echo "logs: build/e2e-log"
}

# step WHAT COMMAND...: its output goes into a log, its end and time to the terminal. Not in a condition: errexit would not
# hold in the command then.
step() {
  local begun=$SECONDS
  current=$1
  shift
  "$@" >"$work/log/step-${current// /-}.log" 2>&1
  printf '%4ss  +%ss  %s\n' "$((SECONDS - started))" "$((SECONDS - begun))" "$current"
  current=
}

# What the step that was the last had to say.
report_step() {
  [[ -n ${current-} ]] || return 0
  tail -n 40 "$work/log/step-${current// /-}.log" >&2
  echo "test/e2e: failed: $current" >&2
}

need() {
  local command
  [[ $(id -u) == 0 ]] || fail 'must be root, for network namespaces and a kubelet'
  need_tools
  [[ -n $own_cluster ]] || return 0
  for command in etcd containerd runc ctr conntrack iptables ip nsenter setsid openssl jq; do
    command -v "$command" >/dev/null || fail "there is no $command: .ci/run says which packages of Debian have it"
  done
  [[ -x /usr/lib/cni/bridge ]] || fail "there is no /usr/lib/cni/bridge: install Debian's containernetworking-plugins"
}

need_tools() {
  local name
  kubernetes=$(dirname "$(tools/path.sh kubernetes kubectl)")
  for name in crane crossplane crossplane-cli coredns helm opentofu pause schema-replay versitygw; do tools/path.sh "$name" >/dev/null; done
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) fail "unknown machine: $(uname -m)" ;;
  esac
}

start_cluster() {
  local images
  step 'network namespace' create_network
  step 'certificates' create_certificates
  (
    trap report_step EXIT
    step 'registry' start_registry
    step 'pause image' push_pause
    step 'Crossplane image' push_crossplane
  ) &
  images=$!
  step 'control plane' start_control_plane
  wait "$images"
  step 'node' start_node
  step 'node ready' await_node
}

start_cluster_with_packages() {
  local packages
  find_crossplane_module
  start_cluster
  build_all_packages &
  packages=$!
  step 'Crossplane' install_crossplane
  wait "$packages"
}

# A cluster that is there. Only its API server is asked, from here; what it pulls, it pulls from REGISTRY.
use_cluster() {
  [[ -n ${REGISTRY-} ]] || fail 'say where to push the packages to, and the cluster can pull them from: REGISTRY=host/organisation'
  push_to=$REGISTRY
  pull_from=$REGISTRY
  registry=127.77.0.1:5000
  state_ip=127.77.0.1
  refuse_used_cluster
  create_certificates
  step 'registry for the images' start_registry
  step 'pause image' push_pause
  build_all_packages
}

# The stand-in takes over every Workspace there is, with accounts that hold nothing: to it their buckets would be gone.
refuse_used_cluster() {
  local served
  refuse_found crd tofuworkspaces.platform.kueber.eu
  served=$(kubectl get crd workspaces.opentofu.m.upbound.io --ignore-not-found --output name)
  [[ -z $served ]] || refuse_found workspaces.opentofu.m.upbound.io --all-namespaces
  [[ ${E2E_PROVIDER-} == real ]] || refuse_found provider.pkg.crossplane.io upbound-provider-opentofu
}

# A question that gets no answer ends the run too: nothing found is not the same as not looked.
refuse_found() {
  local found
  found=$(kubectl get "$@" --ignore-not-found --output name)
  [[ -z $found ]] || fail "that cluster is not one to throw away, it has: $found"
}

build_all_packages() {
  (
    trap report_step EXIT
    step 'function base (a stand-in)' push_function_base
    step 'packages' build_packages
    step 'packages of the version before' build_previous_packages
    step 'provider package (a stand-in)' build_provider_package
    step 'function-go-templating (a stand-in)' build_older_function
  )
}

# The suite in three parts: without the provider, side by side, one after the other.
run_suite() {
  local status=0
  export E2E_WORK=$work E2E_KUBECONFIG=$kubeconfig E2E_KUBECTL=$kubernetes/kubectl E2E_OWN_CLUSTER=$own_cluster E2E_PROVIDER=${E2E_PROVIDER-}
  export E2E_WORLD=$work/provider/remote/world.json E2E_STATE=$work/state/objects/$state_bucket E2E_MEASURED=$PWD/build/e2e-measured.jsonl
  E2E_VERSION=v$(node -p 'require("./package.json").version')
  export E2E_VERSION E2E_PREVIOUS_VERSION=v$previous_version
  mkdir -p build
  : >"$E2E_MEASURED"
  rm -f build/e2e-*.json
  run_part at-rest || status=1
  [[ $E2E_PROVIDER == real ]] || step 'provider (a stand-in)' start_provider
  run_part side-by-side || status=1
  # What those have left needs no looking after, and each look is a plan.
  [[ $E2E_PROVIDER == real ]] || kubectl annotate --all-namespaces --all workspaces.opentofu.m.upbound.io crossplane.io/paused=true --overwrite >/dev/null
  run_part alone || status=1
  return "$status"
}

# A folder without tests is a failure, unless ARGS has asked for some only.
run_part() {
  local arguments=()
  eval "arguments=(${ARGS:+--passWithNoTests} ${ARGS-})"
  # In the background: a signal is not heard while the shell waits for a command in front.
  E2E_PART=$1 "${inside[@]}" node_modules/.bin/vitest run --config vitest.e2e.config.ts "${arguments[@]}" &
  wait $!
}

if [[ ${1-} == stop ]]; then
  work=${2:?usage: run.sh stop WORK-FOLDER NETWORK-NAMESPACE}
  netns=${3:?usage: run.sh stop WORK-FOLDER NETWORK-NAMESPACE}
  # What is mounted below the one is unmounted and the folder deleted, and the other's processes are killed.
  [[ $work == /tmp/e2e.?????? && $work != *..* && -d $work/run ]] || fail "$work is no work folder of ours"
  [[ $netns =~ ^e2e-[0-9]+$ ]] || fail "$netns is no network namespace of ours"
  inside=(nsenter "--net=/run/netns/$netns")
  stop_cluster
  exit
fi

work=$(mktemp -d /tmp/e2e.XXXXXX)
netns=e2e-$$
inside=()
kubeconfig=$work/admin.kubeconfig
if [[ ${1-} == --kubeconfig ]]; then
  own_cluster=
  kubeconfig=$(realpath "${2:?usage: run.sh --kubeconfig FILE}")
fi
mkdir "$work"/{run,log,images,embed}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
need
if [[ ${CLUSTER-} == kind ]]; then
  own_cluster=
  start_kind
elif [[ -n $own_cluster ]]; then
  start_cluster_with_packages
else
  use_cluster
fi
step 'platform' install_platform
step 'older Composition (a stand-in)' install_earlier
step 'state store' start_state_store
run_suite
