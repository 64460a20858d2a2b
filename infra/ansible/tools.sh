#!/usr/bin/env bash
# Installs Ansible, its linters and the collections, as pinned with hashes in requirements*.txt, into a cache outside git,
# and prints the folder with the commands. What is there is used as it is.
#   PATH=$(infra/ansible/tools.sh):$PATH
# The cache is $FTW_TOOLS_DIR, else $XDG_CACHE_HOME (or ~/.cache)/function-tofu-workspace/tools.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${FTW_TOOLS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/function-tofu-workspace/tools}

fail() {
  echo "infra/ansible/tools.sh: $1" >&2
  exit 1
}

new_enough() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; }

# The newest one, on the PATH or installed by pyenv.
find_python() {
  local version candidate
  for version in 3.14 3.13 3.12; do
    for candidate in "$(command -v "python$version" || true)" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
      if [[ -x $candidate ]] && new_enough "$candidate"; then
        echo "$candidate"
        return
      fi
    done
  done
  fail 'Python 3.12 or newer with venv is needed (ansible-core 2.21 runs on no older one), and none was found.'
}

python=$(find_python)
key=$({ cat "$here"/requirements.txt "$here"/requirements-collections.txt && "$python" -V; } | sha256sum | cut -c 1-16)
tools=$cache/ansible-$key
if [[ ! -e $tools/complete ]]; then
  mkdir -p "$cache"
  # A virtual environment cannot be moved, so it is built in its place; the lock keeps a second run out meanwhile.
  exec 9>"$tools.lock"
  flock 9
  if [[ ! -e $tools/complete ]]; then
    rm -rf "$tools"
    "$python" -m venv "$tools"
    "$tools/bin/pip" install --quiet --require-hashes --requirement "$here/requirements.txt" >&2
    # Not compiled: of some 90 collections a few modules are ever loaded.
    "$tools/bin/pip" install --quiet --require-hashes --no-deps --no-compile \
      --requirement "$here/requirements-collections.txt" >&2
    touch "$tools/complete"
  fi
fi
echo "$tools/bin"
