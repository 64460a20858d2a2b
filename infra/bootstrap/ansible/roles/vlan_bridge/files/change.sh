#!/bin/sh
# change.sh FILE SECONDS: puts FILE.bootstrap in the place of FILE and in force. The former one comes back by itself after
# SECONDS, unless keep.sh ran by then.
set -eu
file=$1

# While a change waits for its confirmation, FILE.before is the way back: it must not be written over.
for unit in bootstrap-rollback.timer bootstrap-rollback.service bootstrap-apply.service; do
  if systemctl is-active --quiet "$unit"; then
    echo 'another change waits for its confirmation' >&2
    exit 1
  fi
done
rm -f /run/bootstrap-settled
cp -p "$file" "$file.before"
cp -p "$file.bootstrap" "$file.new"

# Units of systemd outlive the connection that the change may cut. The timer is armed before anything changes.
systemd-run --quiet --collect --unit=bootstrap-rollback --on-active="$2" --timer-property=AccuracySec=1s \
  sh -c "cp -p '$file.before' '$file.new' && mv '$file.new' '$file' && ifreload -a"
mv "$file.new" "$file"
# Two seconds for the answer to whoever started this.
systemd-run --quiet --collect --unit=bootstrap-apply sh -c 'sleep 2; ifreload -a && touch /run/bootstrap-settled'
