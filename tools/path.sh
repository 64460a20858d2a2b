#!/usr/bin/env bash
#   tools/path.sh NAME [COMMAND]
# Prints the path of a tool's binary; which of them, where the tool has several. Exit 1, and the path on stderr, when it has not been built (`make tools`).
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

name=${1-}
if (($# < 1 || $# > 2)) || ! tool_exists "$name"; then
  echo "usage: tools/path.sh NAME [COMMAND], a NAME of: $(tool_names | paste -sd ' ' -)" >&2
  exit 2
fi
command=${2-$(tool_commands "$name")}
if [[ $command == *$'\n'* ]] || ! tool_commands "$name" | grep -qxF -- "$command"; then
  echo "tools/path.sh: say which command of $name: $(tool_commands "$name" | paste -sd ' ' -)" >&2
  exit 2
fi
binary=$(tool_folder "$name")/$command
if [[ ! -x $binary ]]; then
  echo "tools/path.sh: $name is not built (run \`tools/build.sh $name\`); it would be $binary" >&2
  exit 1
fi
echo "$binary"
