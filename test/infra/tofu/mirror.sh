#!/usr/bin/env bash
# Writes a provider mirror for every provider that infra/tofu pins, served by tools/schema-replay from the providers' true
# schemas. Prints the CLI configuration that reads from it alone.
#   test/infra/tofu/mirror.sh FOLDER
set -euo pipefail
repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd -P)
folder=${1:?usage: mirror.sh FOLDER}
replay=$("$repository/tools/path.sh" schema-replay)

pins=()
while read -r source version; do
  name=$(tr '[:upper:]' '[:lower:]' <<<"${source/\//__}")
  schema=
  for candidate in "$repository/data/provider-schemas/$name".*-v"$version".json "$repository/data/provider-schemas/$name.json"; do
    if [[ -f $candidate ]]; then
      schema=$candidate
      break
    fi
  done
  [[ -n $schema ]] || {
    echo "mirror.sh: no schema of $source in data/provider-schemas" >&2
    exit 1
  }
  pins+=("$schema=$version")
done < <(
  cat "$repository"/infra/tofu/{environment,modules/*}/*/versions.tf |
    awk '$1 == "source" { source = $3 } $1 == "version" { print source, $3 }' | tr -d '"' | sort -u
)

"$replay" mirror "$folder" "${pins[@]}"
echo "$folder/tofurc"
