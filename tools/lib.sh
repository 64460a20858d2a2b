# shellcheck shell=bash
# What build.sh and path.sh share: which tools there are, how each is built, where its binary lies.
# A tool is a folder with a go.mod that names the command in a `tool` line and pins its module; go.sum
# pins every byte of it. Commands of one module that are used together are tool lines of one folder. To move a tool to
# another version: edit the require line, run `go mod tidy` (or `go build -mod=mod`) in that folder, commit go.mod and
# go.sum.
# Without a `tool` line it is a command of ours, with its sources in the folder.

tools_root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools_cache=${FTW_TOOLS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/function-tofu-workspace/tools}

# One set of flags for all tools: they share compiled packages then. CGO_ENABLED=0 needs no C compiler
# and gives static binaries, which fit into an image without a C library.
tools_cgo=0

tool_names() {
  local mod
  for mod in "$tools_root"/*/go.mod; do basename "$(dirname "$mod")"; done
}

tool_exists() { [[ -n $1 && -f $tools_root/$1/go.mod ]]; }

# The Go packages of the commands, one a line, from the `tool` lines; "." where there is none.
tool_packages() {
  awk '
    $1 == "tool" && $2 != "(" { print $2; found = 1 }
    $1 == "tool" && $2 == "(" { block = 1; next }
    block && $1 == ")" { block = 0 }
    block { print $1; found = 1 }
    END { if (!found) print "." }' "$tools_root/$1/go.mod"
}

# Ours: built from the sources beside its go.mod.
tool_is_local() { [[ $(tool_packages "$1") == . ]]; }

# Names of its binaries, as `go build` gives them: a path that ends in a major version is named by the part before.
tool_commands() {
  if tool_is_local "$1"; then echo "$1"; else tool_packages "$1" | sed -E 's#/v[0-9]+$##; s#.*/##'; fi
}

# The version of the module that holds the command: of all required modules whose path leads the package's, the longest.
tool_version() {
  if tool_is_local "$1"; then
    echo local
    return
  fi
  awk -v package="$(tool_packages "$1" | head -n 1)" '
    { sub(/^require /, ""); sub(/^[ \t]+/, "") }
    $2 ~ /^v[0-9]/ && index(package "/", $1 "/") == 1 && length($1) > best { best = length($1); version = $2 }
    END { print version }' "$tools_root/$1/go.mod"
}

# Versions that the commands do not know by themselves. Core refuses packages with a version constraint when it does not
# know its own; tofu calls itself a development build unless told otherwise; what kube-apiserver says otherwise is no
# version to kubectl.
tool_ldflags() {
  local version
  case $1 in
    kubernetes)
      version=$(tool_version "$1")
      echo "-s -w -X k8s.io/component-base/version.gitVersion=$version" \
        "-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$(cut -d. -f2 <<<"$version")"
      ;;
    crossplane*) echo "-s -w -X github.com/crossplane/crossplane-runtime/v2/pkg/version.version=$(tool_version "$1")" ;;
    opentofu*) echo "-s -w -X github.com/opentofu/opentofu/version.dev=no" ;;
    *) echo "-s -w" ;;
  esac
}

tools_sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c1-12; }

# Everything that decides what comes out of the build. Not the Go version: any that go.mod admits will do.
tool_hash() {
  local file
  {
    cat "$tools_root/$1/go.mod" "$tools_root/$1/go.sum"
    if tool_is_local "$1"; then
      for file in "$tools_root/$1"/*.go; do [[ $file == *_test.go ]] || cat "$file"; done
    fi
    echo "$(tool_ldflags "$1") cgo=$tools_cgo $(uname -sm)"
  } | tools_sha256
}

tool_folder() { echo "$tools_cache/$1-$(tool_version "$1")-$(tool_hash "$1")"; }

tool_is_built() {
  local folder command
  folder=$(tool_folder "$1")
  for command in $(tool_commands "$1"); do [[ -x $folder/$command ]] || return 1; done
}
