# shellcheck shell=bash
# Our two packages by our own scripts, under the references that they will be published with, pushed to the local
# registry; and the stand-in for the provider's package, which the Configuration depends on.

# Where the packages say they are from, and where they are looked for (ImageConfig).
provider_package=xpkg.upbound.io/upbound/provider-opentofu
provider_version=v1.0.2
older_package=xpkg.crossplane.io/crossplane-contrib/function-go-templating
older_version=v0.12.2
# There is no release yet to upgrade from: the first commit that had packages.
previous_commit=b9c3af4
previous_version=0.0.1

build_packages() {
  build_packages_of "$PWD" "$work/embed"
}

# build_packages_of TREE FOLDER
build_packages_of() (
  cd "$1"
  for platform in amd64 arm64; do
    "${inside[@]}" env "RUNTIME_IMAGE=$registry/base:nonroot" scripts/image.sh crane "$platform" "$2/function-$platform.tar"
  done
  IMAGES=$2 scripts/packages.sh
  "${inside[@]}" env "REGISTRY=$push_to" scripts/packages.sh push
  rm -r "$2"
)

# In a clone without that commit these very sources are the stand-in. Either way with a lower version in them, with the
# Function's name of today, and without the argument of the backend that nothing released has ever written: one more or
# less, and `init` refuses.
build_previous_packages() {
  local tree=$work/previous revision=$previous_commit
  git cat-file -e "$revision^{commit}" 2>/dev/null || revision=HEAD
  echo "previous version: $revision as $previous_version"
  mkdir "$tree"
  git archive "$revision" | tar -x -C "$tree"
  ln -s "$PWD/node_modules" "$tree/node_modules"
  sed -i "/^ *attr('use_lockfile'/d" "$tree/src/tofu/provider-configuration.ts"
  sed -i 's/name: function-tofu-workspace$/name: kueber-function-tofu-workspace/' "$tree/apis/tofuworkspace/composition.yaml"
  (cd "$tree" && node --import tsx scripts/version-set.ts "$previous_version")
  build_packages_of "$tree" "$work/previous-embed"
  rm -r "$tree"
}

# Composes what function-go-templating would from the Composition that it stands for.
build_older_function() {
  local folder=$work/older-function image=$registry/older-composition:e2e
  node_modules/.bin/esbuild test/e2e/older-composition/main.ts --bundle --platform=node --format=esm --log-level=warning \
    --banner:js='import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' \
    --outfile="$folder/image/app/main.js"
  echo '{"type": "module"}' >"$folder/image/app/package.json"
  tar --sort=name --mtime=@0 --owner=0 --group=0 -C "$folder/image" -cf "$folder/layer.tar" app
  crane append --base "$registry/base:nonroot-$arch" --new_layer "$folder/layer.tar" --new_tag "$image"
  crane mutate "$image" --entrypoint /nodejs/bin/node,/app/main.js --tag "$image"
  crane pull "$image" "$folder/image.tar"
  mkdir "$folder/package"
  cat >"$folder/package/crossplane.yaml" <<CONF
apiVersion: meta.pkg.crossplane.io/v1
kind: Function
metadata:
  name: function-go-templating
  annotations:
    meta.crossplane.io/description: A stand-in for tests. Composes what one Composition of the real one did.
spec:
  capabilities: [composition]
CONF
  push_package "$folder/package" "$folder/image.tar" "function-go-templating:$older_version"
  rm -r "$folder"
}

# push_package ROOT IMAGE-TARBALL NAME:TAG
push_package() {
  local cli
  cli=$(tools/path.sh crossplane-cli)
  # Without a folder of examples of its own the CLI would take ours, which are no manifests.
  mkdir "$1-examples"
  "$cli" xpkg build --package-root "$1" --examples-root "$1-examples" --embed-runtime-image-tarball "$2" --package-file "$1.xpkg"
  "${inside[@]}" "$cli" xpkg push --package-files "$1.xpkg" "$push_to/$3"
  rm -r "$1.xpkg" "$1-examples"
}

# The real CRDs. What runs in its pod does nothing: the controller is a process beside the cluster, with the service
# account and the rights that Crossplane gives the provider.
build_provider_package() {
  local folder=$work/provider-package
  mkdir -p "$folder/crds"
  cp data/crds/opentofu.m.upbound.io_*.yaml "$folder/crds/"
  cat >"$folder/crossplane.yaml" <<CONF
apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: provider-opentofu
  annotations:
    meta.crossplane.io/description: A stand-in for tests. Holds the CRDs and an image that does nothing.
CONF
  crane pull "$registry/pause:e2e" "$work/pause.tar"
  push_package "$folder" "$work/pause.tar" "provider-opentofu:$provider_version"
  rm -r "$folder" "$work/pause.tar"
}
