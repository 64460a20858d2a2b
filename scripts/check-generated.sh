#!/usr/bin/env bash
# Writes all generated files anew and fails when that changed any: somebody edited one by hand, or changed its
# source without running `npm run generate`. Compares with the files as they were, not with git, so that work in
# progress passes; .ci/run demands a clean tree afterwards, which catches what was generated and not committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
folders=(src/gen package/input apis docs)

mkdir -p "${folders[@]}"
for folder in "${folders[@]}"; do
  mkdir -p "$before/$folder"
  cp -R "$folder/." "$before/$folder"
done

npm run --silent generate

changed=
for folder in "${folders[@]}"; do diff -ru "$before/$folder" "$folder" || changed=yes; done
if [[ -n $changed ]]; then
  echo 'check-generated: the files above were not what "npm run generate" writes. They are now: look at the diff and commit them.' >&2
  exit 1
fi
