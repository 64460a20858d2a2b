#!/usr/bin/env bash
# Checks infra/bootstrap with the real tools, on a stand-in router and on Debian hosts; README.md says what is real. Needs
# Node 20.19+, Go 1.26+, Python 3.12+ with venv, and root on Debian for the packages below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  missing=()
  [[ -x /usr/bin/busybox ]] || missing+=(busybox-static)
  [[ -x /usr/sbin/sshd ]] || missing+=(openssh-server)
  [[ -x /usr/bin/wg ]] || missing+=(wireguard-tools)
  command -v ip >/dev/null || missing+=(iproute2)
  command -v jq >/dev/null || missing+=(jq)
  command -v ssh >/dev/null || missing+=(openssh-client)
  command -v gpg >/dev/null || missing+=(gpg)
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  command -v systemd-nspawn >/dev/null || missing+=(systemd-container)
  if ((${#missing[@]} > 0)); then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  fi
fi
shellcheck -x infra/bootstrap/steps/* infra/bootstrap/checks/* infra/bootstrap/*.sh
shellcheck -s sh infra/bootstrap/ansible/roles/*/files/*.sh
shellcheck test/infra/bootstrap/hypervisor/* test/infra/bootstrap/stand-ins/*
tools/build.sh opentofu schema-replay taloscheck kustomize kubeconform
tools=$(infra/ansible/tools.sh)
if [[ $(id -u) == 0 ]]; then test/infra/ansible/hosts.sh base >/dev/null; fi
# Each file has hosts, networks and folders of its own.
PATH=$tools:$PATH npx vitest run --config vitest.infra.config.ts --fileParallelism --maxWorkers=2 test/infra/bootstrap
