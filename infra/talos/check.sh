#!/usr/bin/env bash
# Checks infra/talos: secrets decrypt with the throw-away key, every node's configuration is merged and validated by
# Talos' own machinery, and faults that are planted are refused. Needs Node 20.19+, Go 1.26+ and python3 with pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools/build.sh taloscheck
tools/sops.sh >/dev/null
npx vitest run --config vitest.infra.config.ts test/infra/talos
