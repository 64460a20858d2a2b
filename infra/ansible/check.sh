#!/usr/bin/env bash
# The whole proof of infra/ansible: `make infra-ansible-check`. Nothing outside this machine is touched: the playbooks run
# on test hosts that live in a network namespace (test/infra/ansible/hosts.sh).
# Lint, syntax and arguments need Python 3.12 or newer; the test hosts need root on Linux with debootstrap and
# systemd-container, which are installed where apt-get is there. Without root the test hosts are left out, and said so;
# with CI set that is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
  echo "infra/ansible/check.sh: $1" >&2
  exit 1
}

step() {
  local started=$SECONDS
  echo "##### $*"
  "$@" || fail "$* failed"
  printf '##### done in %ss: %s\n' "$((SECONDS - started))" "$*"
}

need_packages() {
  local missing=()
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  command -v systemd-nspawn >/dev/null || missing+=(systemd-container)
  command -v ip >/dev/null || missing+=(iproute2)
  command -v ssh >/dev/null || missing+=(openssh-client)
  command -v gpg >/dev/null || missing+=(gpg)
  ((${#missing[@]} > 0)) || return 0
  command -v apt-get >/dev/null || fail "missing: ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_tools() { PATH=$(infra/ansible/tools.sh):$PATH; }
shell_scripts() { shellcheck -x infra/ansible/*.sh test/infra/ansible/*.sh test/infra/ansible/stand-ins/*; }
in_ansible() { (cd infra/ansible && "$@"); }
syntax() {
  local playbook
  for playbook in infra/ansible/playbooks/*; do
    in_ansible ansible-playbook --syntax-check "playbooks/${playbook##*/}" || return
  done
}

step shell_scripts
step install_tools
step in_ansible yamllint --strict .
step in_ansible ansible-lint --offline --profile production
step syntax
tests=(test/infra/ansible/inventory.test.ts test/infra/ansible/arguments.test.ts)
if [[ $(id -u) == 0 && $(uname -s) == Linux ]]; then
  step need_packages
  step test/infra/ansible/hosts.sh base
  tests+=(test/infra/ansible/commissioning.test.ts test/infra/ansible/update.test.ts)
elif [[ -n ${CI-} ]]; then
  fail 'must be root on Linux, to run the test hosts'
else
  echo 'left out: the playbooks on test hosts, which need root on Linux' >&2
fi
# Side by side: each file has hosts and a network namespace of its own, and waits for them most of the time.
step npx vitest run --config vitest.infra.config.ts --fileParallelism --maxWorkers=2 "${tests[@]}"
