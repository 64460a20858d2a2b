#!/usr/bin/env bash
# Checks infra/k8s the way Flux sees it: the artifact of the repository, its Secrets decrypted, every entry point built by
# the real kustomize, every object judged by kubeconform, and what the example apps ask for rendered by the real
# Crossplane. Needs Node 20.19+, Go 1.26+ and python3 with pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools/build.sh kustomize kubeconform crossplane crossplane-cli
tools/sops.sh >/dev/null
[[ -f dist/main.js ]] || npm run --silent build
npx vitest run --config vitest.infra.config.ts test/infra/k8s
