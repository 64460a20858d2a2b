#!/usr/bin/env bash
# Gives a fresh root two package archives of its own, which stand in for Debian's and Proxmox's: hosts in the tests reach
# no other. The first holds chrony as Debian ships it, the second stand-ins for packages of Proxmox VE, signed with a
# throw-away key.
#   archive.sh ROOT SUITE
set -euo pipefail
root=$1
suite=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# stand_in NAME VERSION FIELDS [FILE...]: a package with empty files.
stand_in() {
  local name=$1 version=$2 fields=$3 folder=$scratch/package file
  shift 3
  mkdir -p "$folder/DEBIAN"
  for file in "$@"; do install -D /dev/null "$folder/$file"; done
  printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: tests <tests@localhost>\nDescription: stand-in\n%b' \
    "$name" "$version" "$fields" >"$folder/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$folder" "$root/srv/proxmox/pool/${name}_${version}_amd64.deb" >/dev/null
  rm -rf "$folder"
}

# index ARCHIVE COMPONENT: what apt reads.
index() {
  local archive=$1 component=$2 package packages=$1/dists/$suite/$2/binary-amd64/Packages release=$1/dists/$suite/Release
  mkdir -p "$(dirname "$packages")"
  for package in "$archive"/pool/*.deb; do
    dpkg-deb --field "$package"
    printf 'Filename: pool/%s\nSize: %s\nSHA256: %s\n\n' "$(basename "$package")" "$(stat -c %s "$package")" \
      "$(sha256sum "$package" | cut -d ' ' -f 1)"
  done >"$packages"
  {
    printf 'Origin: stand-in\nLabel: stand-in\nSuite: %s\nCodename: %s\nArchitectures: amd64\nComponents: %s\n' \
      "$suite" "$suite" "$component"
    printf 'Date: %s\nSHA256:\n %s %s %s/binary-amd64/Packages\n' "$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S UTC')" \
      "$(sha256sum "$packages" | cut -d ' ' -f 1)" "$(stat -c %s "$packages")" "$component"
  } >"$release"
  gpg --batch --quiet --clearsign --output "$(dirname "$release")/InRelease" "$release"
}

export GNUPGHOME=$scratch/gnupg
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key 'stand-in for the archive key' ed25519 sign never
gpg --batch --quiet --export >"$root/usr/share/keyrings/proxmox-archive-keyring.gpg"

mkdir -p "$root/srv/debian/pool" "$root/srv/proxmox/pool"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# debootstrap leaves what it installed.
chroot "$root" sh -c 'apt-get clean; apt-get -qq update && apt-get -qq install --yes --no-install-recommends --download-only chrony' \
  >/dev/null
mv "$root"/var/cache/apt/archives/*.deb "$root/srv/debian/pool/"
stand_in proxmox-ve 9.0.0 ''
stand_in proxmox-ve 9.1.0 'Depends: proxmox-kernel-stand-in\n'
stand_in stand-in-guest 1.0 ''
stand_in proxmox-kernel-stand-in 1.0 'Conflicts: stand-in-guest\n' boot/vmlinuz-99.0.0-1-pve
index "$root/srv/debian" main
index "$root/srv/proxmox" pve-no-subscription
gpgconf --kill gpg-agent

# What the tests upgrade from.
chroot "$root" dpkg --install /srv/proxmox/pool/proxmox-ve_9.0.0_amd64.deb >/dev/null
# The sources as the installer of Proxmox VE leaves them: Debian's works, the enterprise's needs a subscription.
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* "$root/etc/resolv.conf" "$root"/var/lib/apt/lists/*
source_file() {
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: %s\nSigned-By: /usr/share/keyrings/proxmox-archive-keyring.gpg\n' \
    "$2" "$suite" "$3" >"$root/etc/apt/sources.list.d/$1.sources"
}
source_file debian file:/srv/debian main
chroot "$root" sh -c 'apt-get -qq update && apt-get clean'
source_file pve-enterprise https://enterprise.proxmox.com/debian/pve pve-enterprise
source_file ceph https://enterprise.proxmox.com/debian/ceph-squid enterprise
