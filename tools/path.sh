#!/usr/bin/env bash
# Prints the path of a tool's binary. Exit 1, and the path on stderr, when it has not been built (`make tools`).
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

name=${1-}
if (($# != 1)) || ! tool_exists "$name"; then
  echo "usage: tools/path.sh NAME, one of: $(tool_names | paste -sd ' ' -)" >&2
  exit 2
fi
binary=$(tool_binary "$name")
if [[ ! -x $binary ]]; then
  echo "tools/path.sh: $name is not built (run \`make tools\`); it would be $binary" >&2
  exit 1
fi
echo "$binary"
