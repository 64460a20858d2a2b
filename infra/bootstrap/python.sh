#!/usr/bin/env bash
# Installs what requirements.txt pins (go-task, and moto for the tests) into the tools cache and prints the folder of its
# commands: PATH="$(infra/bootstrap/python.sh):$PATH". What is there is used as it is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/lib.sh
source "$here/../../tools/lib.sh"

python=${PYTHON:-python3}
hash=$({ cat "$here/requirements.txt" && "$python" -c 'import sys; print(sys.version)'; } | tools_sha256)
venv=$tools_cache/bootstrap-python-$hash
if [[ ! -e $venv/.complete ]]; then
  # A virtual environment does not survive being renamed, so an unfinished one is made anew instead.
  mkdir -p "$tools_cache"
  exec 9>"$venv.lock"
  flock 9
  if [[ ! -e $venv/.complete ]]; then
    rm -rf "$venv"
    "$python" -m venv "$venv" >&2
    "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements.txt" >&2
    touch "$venv/.complete"
  fi
fi
echo "$venv/bin"
