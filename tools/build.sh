#!/usr/bin/env bash
# Builds the real tools that the tests use, at the versions pinned in tools/<name>/go.mod, into a cache outside git.
#   tools/build.sh            all of them
#   tools/build.sh NAME...    only these
# What is there is skipped. Two runs at once do no harm: each builds aside and renames into place.
# The cache is $FTW_TOOLS_DIR, else $XDG_CACHE_HOME (or ~/.cache)/function-tofu-workspace/tools.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

staging=
trap '[[ -z $staging ]] || rm -rf "$staging"' EXIT

fail() {
  echo "tools/build.sh: $1" >&2
  exit 1
}

# older A B: version A is below version B.
older() {
  awk -v a="$1" -v b="$2" 'BEGIN {
    split(a, x, "."); split(b, y, ".")
    for (i = 1; i <= 3; i++) { if (x[i] + 0 < y[i] + 0) exit 0; if (x[i] + 0 > y[i] + 0) exit 1 }
    exit 1
  }'
}

check_go() {
  local name=$1 wanted found
  wanted=$(awk '$1 == "go" { print $2; exit }' "$tools_root/$name/go.mod")
  command -v go >/dev/null ||
    fail "Go $wanted or newer is needed to build $name, and there is no \`go\` on the PATH. Install it from your distribution or https://go.dev/dl and try again."
  # In the tool's folder, so that a toolchain switch that the go command may make by itself counts.
  found=$(cd "$tools_root/$name" && go env GOVERSION) || fail "\`go env\` failed in tools/$name, see above."
  found=${found#go}
  found=${found%%[!0-9.]*}
  if older "$found" "$wanted"; then
    fail "Go $wanted or newer is needed to build $name, but \`go\` is $found. Install a newer one from your distribution or https://go.dev/dl and try again."
  fi
}

build() {
  local name=$1 folder command packages=() started=$SECONDS
  folder=$(tool_folder "$name")
  if tool_is_built "$name"; then
    echo "$name $(tool_version "$name"): there, $folder"
    return
  fi
  check_go "$name"
  mapfile -t packages < <(tool_packages "$name")
  echo "$name $(tool_version "$name"): building ${packages[*]} (minutes when nothing is compiled yet)"
  mkdir -p "$tools_cache"
  staging=$(mktemp -d "$tools_cache/.building-$name.XXXXXX")
  (
    cd "$tools_root/$name"
    CGO_ENABLED=$tools_cgo GOWORK=off go build -mod=readonly -buildvcs=false \
      -ldflags "$(tool_ldflags "$name")" -o "$staging/" "${packages[@]}"
  )
  # Renaming a file over another is atomic: nobody ever sees half a binary, whoever of two comes last.
  mkdir -p "$folder"
  for command in $(tool_commands "$name"); do
    [[ -x $staging/$command ]] || fail "the build of $name left no $command"
    mv -f "$staging/$command" "$folder/$command"
  done
  rm -rf "$staging"
  staging=
  echo "$name $(tool_version "$name"): built in $((SECONDS - started))s, $folder"
}

if (($# == 0)); then
  names=()
  while read -r name; do names+=("$name"); done < <(tool_names)
else
  names=("$@")
fi
for name in "${names[@]}"; do
  tool_exists "$name" || fail "unknown tool \"$name\", there are: $(tool_names | paste -sd ' ' -)"
done
for name in "${names[@]}"; do build "$name"; done
