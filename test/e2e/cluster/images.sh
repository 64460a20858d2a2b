# shellcheck shell=bash
# A registry on loopback and what the node and Crossplane pull from it. Nothing is pulled from elsewhere: what cannot be
# built here is a stand-in and says so.

start_registry() {
  mkdir "$work/registry"
  start registry "$(tools/path.sh crane)" registry serve --address "0.0.0.0:${registry##*:}" --disk "$work/registry"
  await 20 'the registry answers' crane catalog "$registry"
}

crane() { "${inside[@]}" "$(tools/path.sh crane)" "$@"; }

# push_image NAME:TAG FOLDER CRANE-MUTATE-FLAG...: an image of one layer, the content of the folder.
push_image() {
  local image=$registry/$1 folder=$2
  shift 2
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$folder" -cf "$folder.tar" .
  crane append --new_layer "$folder.tar" --new_tag "$image"
  crane mutate "$image" --set-platform "linux/$arch" --tag "$image" "$@"
  rm -rf "$folder" "$folder.tar"
}

# What holds a pod's namespaces.
push_pause() {
  local folder=$work/images/pause
  install -D "$(tools/path.sh pause)" "$folder/pause"
  push_image pause:e2e "$folder" --entrypoint /pause --user 65535:65535
}

# Crossplane's image is the static binary and two folders that the module has as well.
push_crossplane() {
  local folder=$work/images/crossplane
  install -D "$(tools/path.sh crossplane)" "$folder/usr/local/bin/crossplane"
  cp -r "$crossplane_module/cluster/crds" "$crossplane_module/cluster/webhookconfigurations" "$folder/"
  chmod -R u+w,a+rX "$folder"
  push_image crossplane/crossplane:e2e "$folder" --entrypoint /usr/local/bin/crossplane --user 65532:65532
}

# The base of the function's image is a stand-in for distroless, which test/packages checks the real build with as well.
push_function_base() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/function-tofu-workspace/standin-bases image=$registry/base:nonroot platform
  test/packages/standin-bases.sh "$cache"
  for platform in amd64 arm64; do
    crane append --new_layer "$cache/runtime-$platform.tar" --new_tag "$image-$platform"
    crane mutate "$image-$platform" --set-platform "linux/$platform" --user 65532 --entrypoint /nodejs/bin/node --tag "$image-$platform"
  done
  crane index append --manifest "$image-amd64" --manifest "$image-arm64" --tag "$image"
}
