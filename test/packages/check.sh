#!/usr/bin/env bash
# Builds the images both ways and the packages, then runs the tests on them: `make packages-check`. With it run the
# commands of docs/release.md that build and push.
# Nothing is pulled: stand-ins take the place of the base images. Docker's engine is one of our own, with a store of its
# own that is thrown away, so this needs root and Debian's package docker.io. KEEP=1 leaves the folder for a look.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/function-tofu-workspace/standin-bases
node_major=$(awk -F= '/^ARG NODE_MAJOR=/ { print $2 }' Dockerfile)
base=gcr.io/distroless/nodejs$node_major-debian12:nonroot
build_base=docker.io/library/node:$node_major-bookworm-slim
work=$(mktemp -d)
processes=()

fail() {
  echo "test/packages/check.sh: $1" >&2
  exit 1
}

clean() {
  local pid
  for pid in "${processes[@]}"; do
    kill "$pid" 2>/dev/null || continue
    wait "$pid" 2>/dev/null || true
  done
  # The engine leaves the network namespace of its containers mounted.
  awk -v folder="$work/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | xargs -r umount
  if [[ -n ${KEEP-} ]]; then echo "left: $work"; else rm -rf "$work"; fi
}
trap clean EXIT

step() {
  local started=$SECONDS
  "$@" >>"$work/log" 2>&1 || {
    tail -n 60 "$work/log" >&2
    fail "$* failed"
  }
  printf '%4ss  %s\n' "$((SECONDS - started))" "$*"
}

# Debian's own client and engine belong together; another client on the PATH may want a plugin that Debian has not.
need_docker() {
  local command
  [[ $(id -u) == 0 ]] || fail 'must be root, to run an engine'
  for command in /usr/bin/docker /usr/sbin/dockerd; do
    [[ -x $command ]] || fail "there is no $command: install Debian's docker.io"
  done
}

start_engine() {
  local tries=0
  # Neither bridge nor iptables: containers share our network, and nobody else's engine or rules are touched.
  /usr/sbin/dockerd --host "$DOCKER_HOST" --data-root "$work/docker/data" --exec-root "$work/docker/exec" \
    --pidfile "$work/docker/pid" --bridge none --iptables=false --ip6tables=false >"$work/dockerd.log" 2>&1 &
  processes+=($!)
  until "$DOCKER" version >/dev/null 2>&1; do
    ((++tries < 150)) || {
      tail "$work/dockerd.log"
      return 1
    }
    sleep 0.2
  done
}

start_registry() {
  local tries=0 port
  "$CRANE" registry serve --address 127.0.0.1:0 >"$work/registry.log" 2>&1 &
  processes+=($!)
  until port=$(sed -n 's/.*serving on port //p' "$work/registry.log") && [[ -n $port ]]; do
    ((++tries < 50)) || return 1
    sleep 0.1
  done
  registry=127.0.0.1:$port
}

import_bases() {
  local arch
  "$DOCKER" import --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin' "$cache/build.tar" "$build_base"
  for arch in amd64 arm64; do
    "$CRANE" append --new_layer "$cache/runtime-$arch.tar" --new_tag "$registry/base:$arch"
    "$CRANE" mutate "$registry/base:$arch" --set-platform "linux/$arch" --user 65532 --workdir /home/nonroot \
      --entrypoint /nodejs/bin/node --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --tag "$registry/base:$arch"
  done
  "$CRANE" index append --manifest "$registry/base:amd64" --manifest "$registry/base:arm64" --tag "$registry/base:nonroot"
}

# The engine keeps one platform under a name, so the base for the one to be built is put there first.
image_by_docker() {
  local arch=$1 out=$2
  shift 2
  "$DOCKER" pull --platform "linux/$arch" "$registry/base:nonroot"
  "$DOCKER" tag "$registry/base:nonroot" "$base"
  DOCKER_BUILD_FLAGS="${build_flags[*]} $*" scripts/image.sh docker "$arch" "$work/images/$out.tar"
}

image_by_crane() { RUNTIME_IMAGE=$registry/base:nonroot scripts/image.sh crane "$1" "$work/images/$2.tar"; }

build_packages() {
  local arch
  mkdir "$work/embed"
  for arch in amd64 arm64; do ln "$work/images/docker-$arch.tar" "$work/embed/function-$arch.tar"; done
  REGISTRY=$registry/kueber IMAGES=$work/embed scripts/packages.sh
}

need_docker
CRANE=$(tools/path.sh crane)
tools/path.sh crossplane-cli >/dev/null
export CRANE DOCKER=/usr/bin/docker DOCKER_HOST=unix://$work/docker.sock

# What npm is told on this machine, it is told in the build too.
build_flags=(--network host --progress plain)
npmrc=$(npm config get userconfig)
[[ ! -f $npmrc ]] || build_flags+=(--secret "id=npmrc,src=$npmrc")
[[ ! -f ${NODE_EXTRA_CA_CERTS-} ]] || build_flags+=(--secret "id=authorities,src=$NODE_EXTRA_CA_CERTS")

step test/packages/standin-bases.sh "$cache"
step start_engine
step start_registry
step import_bases
step image_by_docker amd64 docker-amd64
step image_by_docker arm64 docker-arm64 --no-cache
step image_by_crane amd64 crane-amd64
step image_by_crane amd64 crane-amd64-second
step image_by_crane arm64 crane-arm64
step build_packages

export PACKAGES_IMAGES=$work/images PACKAGES_REGISTRY=$registry/kueber
node_modules/.bin/vitest run --config vitest.packages.config.ts
