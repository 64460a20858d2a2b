#!/usr/bin/env bash
# Everything that can be known about infra/tofu without touching a real machine; `make infra-check` runs it.
# Needs Node and what `tools/build.sh opentofu opentofu-1.10 schema-replay versitygw` builds, and shellcheck.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repository=$(cd -- "$here/../.." && pwd -P)

step() { printf '\n== %s\n' "$*"; }

step 'tools'
"$repository/tools/build.sh" opentofu opentofu-1.10 schema-replay versitygw
tofu=$("$repository/tools/path.sh" opentofu)
oldest=$("$repository/tools/path.sh" opentofu-1.10)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TF_CLI_CONFIG_FILE=$("$repository/test/infra/tofu/mirror.sh" "$work/mirror")
export TF_CLI_CONFIG_FILE
# Of no use anywhere: the encryption block must be evaluated even to validate.
export TF_VAR_state_passphrase='a passphrase of checks'
# The real tofu would note the stand-ins' checksums in .terraform.lock.hcl: it runs in a copy.
mkdir "$work/tofu"
(cd "$here" && tar -c --exclude=.terraform --exclude=.terraform.lock.hcl --exclude=.env --exclude='*.tfstate*' .) |
  tar -x -C "$work/tofu"

step 'shellcheck'
shellcheck -x "$here"/*.sh "$here"/environment/*/tofu.sh "$repository"/test/infra/tofu/*.sh \
  "$repository"/test/infra/tofu/fake-tofu/tofu

step 'tofu fmt'
"$tofu" fmt -check -diff -recursive "$here"

for root in "$work"/tofu/environment/* "$work"/tofu/modules/*/*; do
  step "${root#"$work/tofu/"}: init, validate, test"
  cd "$root"
  "$tofu" init -backend=false -input=false -no-color >init.log || { cat init.log && exit 1; }
  "$tofu" validate -no-color
  # A folder without tests would pass as well.
  [[ -d tests || $root == */environment/tofu ]] || { echo "no tests in ${root#"$work/tofu/"}" >&2 && exit 1; }
  if [[ -d tests ]]; then "$tofu" test -no-color; fi
  # The oldest version that versions.tf admits.
  rm -rf .terraform .terraform.lock.hcl
  "$oldest" init -backend=false -input=false -no-color >init.log || { cat init.log && exit 1; }
  "$oldest" validate -no-color
done

step 'layout, tofu.sh, bootstrap and plans'
cd "$repository"
npx vitest run --config vitest.infra.config.ts test/infra/tofu
