#!/usr/bin/env bash
# The tools that are ours, tools/<name> with Go sources in it: gofmt, go vet and their tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

unformatted=$(gofmt -l tools)
if [[ -n $unformatted ]]; then
  echo "not formatted, run gofmt -w: $unformatted" >&2
  exit 1
fi
export CGO_ENABLED=0 GOWORK=off
for mod in tools/*/go.mod; do
  folder=$(dirname "$mod")
  compgen -G "$folder/*.go" >/dev/null || continue
  (cd "$folder" && go vet -mod=readonly ./... && go test -mod=readonly ./...)
done
