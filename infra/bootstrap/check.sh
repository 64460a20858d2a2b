#!/usr/bin/env bash
# Checks infra/bootstrap with the real tools and on a stand-in router; README.md says what is real. Needs Node 20.19+,
# Go 1.26+, python3 3.11+ with venv, and root on Debian with busybox-static, openssh-server, wireguard-tools, iproute2, jq.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  missing=()
  [[ -x /usr/bin/busybox ]] || missing+=(busybox-static)
  [[ -x /usr/sbin/sshd ]] || missing+=(openssh-server)
  [[ -x /usr/bin/wg ]] || missing+=(wireguard-tools)
  command -v ip >/dev/null || missing+=(iproute2)
  command -v jq >/dev/null || missing+=(jq)
  if ((${#missing[@]} > 0)); then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  fi
fi
shellcheck -x infra/bootstrap/steps/* infra/bootstrap/checks/* infra/bootstrap/*.sh
shellcheck -s sh infra/bootstrap/ansible/roles/openwrt/files/*.sh
tools/build.sh opentofu schema-replay taloscheck kustomize kubeconform
tools=$(infra/ansible/tools.sh)
PATH=$tools:$PATH npx vitest run --config vitest.infra.config.ts test/infra/bootstrap
