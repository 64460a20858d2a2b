#!/usr/bin/env bash
# Test hosts for infra/ansible: Debian roots with a real systemd, sshd, apt and chrony, in one network namespace where
# every host has a loopback address of its own. Root on Linux, with debootstrap and systemd-container.
#   hosts.sh base                          build what all hosts share, once, into the cache
#   hosts.sh start WORK NAME LOADER ADDRESS   LOADER: grub or systemd-boot
#   hosts.sh time WORK                     a time server on 127.0.0.1
#   hosts.sh run WORK COMMAND...           run a command where the hosts can be reached
#   hosts.sh stop WORK                     stop all of it
# Stand-ins, because there is no disk, no firmware and no GPU: update-grub, proxmox-boot-tool and update-initramfs
# (stand-ins/), the PCI devices, and the "firmware" below, which at each boot makes the running line and the driver of
# the GPU from what the boot loader and the initramfs hold.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=trixie
packages=systemd,systemd-sysv,dbus,python3,python3-apt,openssh-server
cache=${FTW_TOOLS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/function-tofu-workspace/tools}
base=$cache/ansible-root-$suite-$({ echo "$packages" && cat "$here/archive.sh"; } | sha256sum | cut -c 1-16)

fail() {
  echo "test/infra/ansible/hosts.sh: $1" >&2
  exit 1
}

namespace() { echo "ftw-ansible-$(basename "$1")"; }

build_base() {
  local staging
  [[ ! -d $base ]] || return 0
  mkdir -p "$cache"
  staging=$(mktemp -d "$cache/.building-ansible-root.XXXXXX")
  # shellcheck disable=SC2064  # now, not when it is trapped: staging is local
  trap "rm -rf '$staging'" EXIT
  debootstrap --variant=minbase --include="$packages" "$suite" "$staging" >"$staging.log" 2>&1 || {
    tail -n 20 "$staging.log" >&2
    fail "debootstrap failed, see $staging.log"
  }
  rm -f "$staging.log"
  "$here/archive.sh" "$staging" "$suite"
  chmod 755 "$staging"
  mv -T "$staging" "$base"
}

# What the firmware and the kernel would make of the disk.
boot_firmware() {
  local root=$1/root hardware=$1/root/srv/hardware line driver=i915 group=1
  if [[ -s $root/etc/kernel/proxmox-boot-uuids && -s $root/var/tmp/stand-in-esp/loader/entries/proxmox.conf ]]; then
    line="initrd=\\EFI\\proxmox\\initrd.img $(sed -n 's/^options  //p' "$root/var/tmp/stand-in-esp/loader/entries/proxmox.conf")"
  else
    line="BOOT_IMAGE=$(sed -n 's/^linux //p' "$root/boot/grub/grub.cfg")"
  fi
  echo "$line" >"$hardware/cmdline"
  if grep -q '^options vfio-pci ids=.*8086:46a6' "$root/boot/initrd.img-stand-in" &&
    grep -qx 'blacklist i915' "$root/boot/initrd.img-stand-in"; then
    driver=vfio-pci
  fi
  [[ " $line " == *' intel_iommu=on '* && ! -e $hardware/firmware-without-vt-d ]] || group=
  ln -sfn "../../drivers/$driver" "$hardware/pci/devices/0000:00:02.0/driver"
  rm -f "$hardware/pci/devices/0000:00:02.0/iommu_group"
  if [[ -n $group ]]; then
    ln -sfn "../../../../kernel/iommu_groups/$group" "$hardware/pci/devices/0000:00:02.0/iommu_group"
  fi
}

# device ROOT ADDRESS VENDOR DEVICE CLASS GROUP
device() {
  local folder=$1/srv/hardware/pci/devices/$2
  mkdir -p "$folder" "$1/srv/hardware/iommu_groups/$6/devices/$2"
  echo "0x$3" >"$folder/vendor"
  echo "0x$4" >"$folder/device"
  echo "0x$5" >"$folder/class"
}

fresh_host() {
  local host=$1 name=$2 loader=$3 address=$4 root=$1/root
  mkdir -p "$host"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=$base,upperdir=$host/upper,workdir=$host/work" "$root"
  device "$root" 0000:00:00.0 8086 461c 060000 0
  device "$root" 0000:00:02.0 8086 46a6 030000 1
  device "$root" 0000:01:00.0 8086 125c 020000 2
  printf 'processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: stand-in\n\n' >"$root/srv/hardware/cpuinfo"

  echo "$name" >"$root/etc/hostname"
  printf 'ListenAddress %s\n' "$address" >"$root/etc/ssh/sshd_config.d/test.conf"
  install -m 755 "$here"/stand-ins/* "$root/usr/sbin/"
  # As the cluster does it: the file is a link, and the nodes have keys of their own in it.
  mkdir -p "$root/root/.ssh" "$root/etc/pve/priv"
  chmod 700 "$root/root/.ssh"
  cat "$(dirname "$host")/key.pub" "$(dirname "$host")/node.pub" "$(dirname "$host")/former.pub" >"$root/etc/pve/priv/authorized_keys"
  chmod 600 "$root/etc/pve/priv/authorized_keys"
  ln -sfn /etc/pve/priv/authorized_keys "$root/root/.ssh/authorized_keys"
  # A container may not set the clock, and so chronyd may not even try.
  mkdir -p "$root/etc/systemd/system/chrony.service.d"
  printf '[Unit]\nConditionCapability=\n[Service]\nExecStart=\nExecStart=!/usr/sbin/chronyd -F 1 -x\n' \
    >"$root/etc/systemd/system/chrony.service.d/test.conf"
  # The kernel that runs is the machine's; to apt_upgrades it is the one that is installed.
  mkdir -p "$root/boot/grub" "$root/etc/modprobe.d"
  touch "$root/boot/vmlinuz-$(uname -r)"
  case $loader in
    grub)
      mkdir -p "$root/etc/default"
      printf '%s\n' 'GRUB_DEFAULT=0' 'GRUB_CMDLINE_LINUX_DEFAULT="quiet mitigations=auto"' \
        'GRUB_CMDLINE_LINUX="console=ttyS0,115200"' >"$root/etc/default/grub"
      ;;
    systemd-boot)
      mkdir -p "$root/etc/kernel"
      echo 'A1B2-C3D4 uefi (versions: 6.14.8-2-pve)' >"$root/etc/kernel/proxmox-boot-uuids"
      echo 'root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet' >"$root/etc/kernel/cmdline"
      ;;
    *) fail "unknown boot loader \"$loader\"" ;;
  esac
  chroot "$root" sh -c 'update-initramfs -u; if [ -e /etc/default/grub ]; then update-grub; else proxmox-boot-tool refresh; fi' \
    >/dev/null
  rm -f "$root/var/log/stand-ins"
}

run_host() {
  local host=$1 name=$2 netns=$3 hardware=$1/root/srv/hardware status=133
  # 133: the host asked to be rebooted. nspawn looks up what it binds into /proc inside the root.
  while ((status == 133)); do
    boot_firmware "$host"
    status=0
    systemd-nspawn --quiet --directory="$host/root" --machine="$name" --register=no --keep-unit \
      --network-namespace-path="/run/netns/$netns" --console=pipe \
      --bind-ro=/srv/hardware/cmdline:/proc/cmdline --bind-ro=/srv/hardware/cpuinfo:/proc/cpuinfo \
      --bind-ro="$hardware/pci:/sys/bus/pci" --bind-ro="$hardware/iommu_groups:/sys/kernel/iommu_groups" \
      --boot || status=$?
  done
}

prepare() {
  local work=$1 name
  mkdir -p "$work"
  for name in key node former; do
    [[ -e $work/$name ]] || ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$work/$name"
  done
  [[ -e /run/netns/$(namespace "$work") ]] || {
    ip netns add "$(namespace "$work")"
    ip -n "$(namespace "$work")" link set lo up
  }
}

start() {
  local work=$1 name=$2 loader=$3 address=$4 tries=0
  [[ -d $base ]] || fail 'first: hosts.sh base'
  prepare "$work"
  fresh_host "$work/$name" "$name" "$loader" "$address"
  setsid "$0" supervise "$work" "$name" >>"$work/$name/console.log" 2>&1 </dev/null &
  echo $! >"$work/$name/pid"
  ssh-keyscan_line "$work" "$name" "$address" >>"$work/known_hosts"
  until ip netns exec "$(namespace "$work")" ssh -F none -i "$work/key" -o BatchMode=yes -o ConnectTimeout=2 \
    -o "UserKnownHostsFile=$work/known_hosts" "root@$address" true 2>/dev/null; do
    ((++tries < 120)) || {
      tail -n 30 "$work/$name/console.log" >&2
      fail "$name did not come up"
    }
    sleep 0.5
  done
}

ssh-keyscan_line() { sed "s/^/$3 /" "$1/$2/root/etc/ssh/ssh_host_ed25519_key.pub"; }

serve_time() {
  local work=$1
  prepare "$work"
  mkdir -p "$work/time"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/time/upper,workdir=$work/time/work" "$work/time/root"
  chroot "$work/time/root" sh -c 'dpkg --unpack /srv/debian/pool/*.deb >/dev/null 2>&1; mkdir -p /run/chrony'
  printf 'local stratum 3\nallow 127.0.0.0/8\nbindaddress 127.0.0.1\ncmdport 0\n' >"$work/time/root/etc/time.conf"
  ip netns exec "$(namespace "$work")" chroot "$work/time/root" /usr/sbin/chronyd -x -n -u root -f /etc/time.conf \
    >"$work/time/log" 2>&1 </dev/null &
  echo $! >"$work/time/pid"
}

stop() {
  local work=$1 pid folder
  for folder in "$work"/*/; do
    [[ ! -e $folder/pid ]] || {
      pid=$(cat "$folder/pid")
      # The supervisor leads a session of its own; SIGKILL ends nspawn, and with it all that runs inside.
      kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null || true
      while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    }
    for _ in {1..50}; do
      mountpoint -q "$folder/root" || break
      umount "$folder/root" 2>/dev/null || sleep 0.2
    done
  done
  [[ ! -e /run/netns/$(namespace "$work") ]] || ip netns delete "$(namespace "$work")"
  rm -rf "$work"
}

command=${1-}
shift || true
case $command in
  base) build_base && echo "$base" ;;
  start) start "$@" ;;
  time) serve_time "$@" ;;
  run)
    work=$1
    shift
    exec ip netns exec "$(namespace "$work")" "$@"
    ;;
  supervise) run_host "$1/$2" "$2" "$(namespace "$1")" ;;
  stop) stop "$@" ;;
  *) fail 'expected base, start, time, run or stop' ;;
esac
