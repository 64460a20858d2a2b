#!/usr/bin/env bash
# Builds both packages with the real Crossplane CLI, and what goes with them, into build/packages.
#   scripts/packages.sh          images, packages, bill of materials, checksums
#   scripts/packages.sh push     pushes what is there to $REGISTRY, by plain HTTP where that is 127.0.0.1
# From the environment:
#   REGISTRY       where the packages will be published (default ghcr.io/kueber)
#   IMAGE_BUILDER  docker or crane (default: docker where an engine answers); scripts/image.sh says what else it reads
#   IMAGES         folder with function-amd64.tar and function-arm64.tar to embed instead of building them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

registry=${REGISTRY:-ghcr.io/kueber}
version=$(node -p 'require("./package.json").version')
out=build/packages
arches=(amd64 arm64)

function_package() { echo "$out/function-tofu-workspace-v$version-$1.xpkg"; }
configuration_package=$out/configuration-tofu-workspace-v$version.xpkg

cli() { "$(tools/path.sh crossplane-cli)" "$@"; }

build_all() {
  local images=${IMAGES-} builder=${IMAGE_BUILDER-} arch
  if [[ -z $images ]]; then
    images=build/images
    if [[ -z $builder ]]; then
      builder=crane
      if "${DOCKER:-docker}" version >/dev/null 2>&1; then builder=docker; fi
    fi
    for arch in "${arches[@]}"; do scripts/image.sh "$builder" "$arch" "$images/function-$arch.tar"; done
  fi
  node --import tsx scripts/stage-packages.ts build/stage "$registry"
  rm -rf "$out"
  mkdir -p "$out"
  for arch in "${arches[@]}"; do
    # Without a folder of examples of its own the CLI would take ours, which are no manifests.
    mkdir -p build/stage/no-examples
    cli xpkg build --package-root build/stage/function --examples-root build/stage/no-examples \
      --embed-runtime-image-tarball "$images/function-$arch.tar" --package-file "$(function_package "$arch")"
  done
  cli xpkg build --package-root build/stage/configuration --examples-root build/stage/configuration/examples \
    --package-file "$configuration_package"
  node --import tsx scripts/sbom.ts >"$out/function-tofu-workspace-v$version.cdx.json"
  (cd "$out" && sha256sum -- *.xpkg *.cdx.json >SHA256SUMS)
  ls -l "$out"
}

push_all() {
  local files=() arch
  (cd "$out" && sha256sum --quiet --check SHA256SUMS)
  for arch in "${arches[@]}"; do files+=("$(function_package "$arch")"); done
  cli xpkg push --package-files "$(IFS=, && echo "${files[*]}")" "$registry/function-tofu-workspace:v$version"
  cli xpkg push --package-files "$configuration_package" "$registry/configuration-tofu-workspace:v$version"
}

case ${1-build} in
  build) build_all ;;
  push) push_all ;;
  *)
    echo 'usage: scripts/packages.sh [push]' >&2
    exit 2
    ;;
esac
