#!/usr/bin/env bash
# Builds the function's image and leaves it as a tarball that `docker load`, crane and `crossplane xpkg build` take.
#   scripts/image.sh docker ARCH OUT.tar    by the Dockerfile, with BuildKit
#   scripts/image.sh crane ARCH OUT.tar     with no container engine: the same layer on the same base, put there by crane
# ARCH is amd64 or arm64: our layer is the same for both, only the base differs.
# From the environment:
#   RUNTIME_IMAGE  the base, instead of the Dockerfile's
#   BUILD_IMAGE    the image of the Dockerfile's first stage, likewise
#   DOCKER         the command to use instead of docker
#   DOCKER_BUILD_FLAGS  more flags for `docker build`, split at spaces
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  echo 'usage: scripts/image.sh docker|crane amd64|arm64 OUT.tar' >&2
  exit 2
}
(($# == 3)) || usage
builder=$1 arch=$2 out=$3
[[ $arch == amd64 || $arch == arm64 ]] || usage

version=$(node -p 'require("./package.json").version')
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
tag=function-tofu-workspace:$version-$arch
mkdir -p "$(dirname "$out")"

with_docker() {
  local docker=${DOCKER:-docker} flags=()
  [[ -z ${RUNTIME_IMAGE-} ]] || flags+=(--build-arg "RUNTIME_IMAGE=$RUNTIME_IMAGE")
  [[ -z ${BUILD_IMAGE-} ]] || flags+=(--build-arg "BUILD_IMAGE=$BUILD_IMAGE")
  # shellcheck disable=SC2206 # split on purpose
  flags+=(${DOCKER_BUILD_FLAGS-})
  DOCKER_BUILDKIT=1 "$docker" build --platform "linux/$arch" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --tag "$tag" "${flags[@]}" .
  "$docker" save --output "$out" "$tag"
}

# What the last stage of the Dockerfile says, said again: a test holds the two images against each other.
with_crane() {
  local crane base=${RUNTIME_IMAGE-} node_major
  crane=$(tools/path.sh crane)
  node_major=$(awk -F= '/^ARG NODE_MAJOR=/ { print $2 }' Dockerfile)
  [[ -n $base ]] || base=gcr.io/distroless/nodejs$node_major-debian12:nonroot
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  node --import tsx scripts/bundle.ts "$work/root"
  tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner -C "$work/root" -cf "$work/layer.tar" app
  "$crane" mutate "$base" --platform "linux/$arch" --append "$work/layer.tar" \
    --label org.opencontainers.image.title=function-tofu-workspace \
    --label "org.opencontainers.image.description=$(node -p 'require("./package.json").description')" \
    --label org.opencontainers.image.licenses=Apache-2.0 \
    --label "org.opencontainers.image.version=$version" \
    --label "org.opencontainers.image.revision=$revision" \
    --env NODE_ENV=production --user 65532:65532 --exposed-ports 9443/tcp \
    --entrypoint /nodejs/bin/node,/app/dist/main.js \
    --tag "$tag" --output "$out"
}

case $builder in
  docker) with_docker ;;
  crane) with_crane ;;
  *) usage ;;
esac
