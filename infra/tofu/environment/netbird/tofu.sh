#!/usr/bin/env bash
# Runs OpenTofu on the environment that this file lies in: see tofu.sh two folders above.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
exec "$here/../../tofu.sh" "$(basename -- "$here")" "$@"
