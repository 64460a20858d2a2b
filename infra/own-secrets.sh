#!/usr/bin/env bash
# Makes the secrets of this tree yours, in one go and once:
#   - your age key, made where there is none ($SOPS_AGE_KEY_FILE, else ~/.config/sops/age/keys.txt), becomes the
#     recipient in .sops.yaml in place of the published throw-away key;
#   - new secrets bundles for both Talos clusters, since anyone can read the ones that are here;
#   - a new passphrase for the Workspaces' state;
#   - the other Kubernetes Secrets, encrypted to you, with the placeholders still in them: `sops edit` puts the values in.
# For a tree that runs no cluster yet: new bundles lock you out of one that was started with the old.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "infra/own-secrets.sh: $1" >&2
  exit 1
}

throw_away=infra/throw-away.agekey
published=$(sed -n 's/^# public key: //p' "$throw_away")
grep -qF "$published" .sops.yaml || fail '.sops.yaml has a recipient of your own already: nothing was changed'
command -v age-keygen >/dev/null || fail 'there is no age-keygen on the PATH (https://github.com/FiloSottile/age)'
command -v openssl >/dev/null || fail 'there is no openssl on the PATH'
sops=$(tools/sops.sh)
tools/build.sh taloscheck >&2
taloscheck=$(tools/path.sh taloscheck)

key_file=${SOPS_AGE_KEY_FILE:-${XDG_CONFIG_HOME:-$HOME/.config}/sops/age/keys.txt}
if [[ ! -s $key_file ]]; then
  mkdir -p "$(dirname "$key_file")"
  (umask 077 && age-keygen -o "$key_file")
fi
recipient=$(age-keygen -y "$key_file" | head -n 1)
[[ $recipient == age1* && $recipient != "$published" ]] || fail "$key_file does not hold a key of your own"

# Everything is made aside first, so that a failure leaves the tree as it was.
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
sed "s/$published/$recipient/" .sops.yaml >"$staging/sops.yaml"
encrypt() { "$sops" --config "$staging/sops.yaml" encrypt --filename-override "$1" /dev/stdin; }

for cluster in talos edge; do
  file=infra/talos/$cluster/talsecret.sops.yaml
  mkdir -p "$staging/$(dirname "$file")"
  "$taloscheck" -new-secrets | encrypt "$file" >"$staging/$file"
done
while IFS= read -r file; do
  mkdir -p "$staging/$(dirname "$file")"
  plain=$(SOPS_AGE_KEY_FILE=$throw_away "$sops" decrypt "$file")
  if [[ $file == */tofu-encryption.sops.yaml ]]; then
    # The value stands last in that file.
    plain=${plain/passphrase: */passphrase: $(openssl rand -base64 48)}
  fi
  encrypt "$file" <<<"$plain" >"$staging/$file"
done < <(find infra/k8s -name '*.sops.yaml' | sort)

cp -R "$staging/infra/." infra/
cp "$staging/sops.yaml" .sops.yaml
cat <<EOT
Your key: $key_file. Keep a copy of it outside of this machine: without it nothing of this can be read again.
Now put your values in, each with \`sops edit FILE\`:
$(find infra/k8s -name '*.sops.yaml' ! -name tofu-encryption.sops.yaml | sort | sed 's/^/  /')
Then give Flux the key:
  kubectl -n flux-system create secret generic sops-age --from-file=age.agekey=$key_file
EOT
