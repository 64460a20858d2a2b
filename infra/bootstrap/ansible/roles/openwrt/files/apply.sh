#!/bin/sh
# Puts the candidate in the place of the configuration. Runs with the rollback armed, and outlives the connection.
set -eu
umask 077
cd /etc/bootstrap

private_key=$(uci get network.wg0.private_key)
peer_key=$(uci get network.operator.public_key)
preshared=$(uci get network.operator.preshared_key)
export private_key peer_key preshared

rm -rf before
mkdir before
for file in candidate/*; do cp "/etc/config/${file##*/}" before/; done
sync

for file in candidate/*; do
  # Not sub(): an & in the value would mean the mark again.
  awk '
    function put(mark, value, at) {
      if (at = index($0, mark)) $0 = substr($0, 1, at - 1) value substr($0, at + length(mark))
    }
    { put("@private_key@", ENVIRON["private_key"]); put("@peer_key@", ENVIRON["peer_key"]); put("@preshared_key@", ENVIRON["preshared"]); print }
  ' "$file" > "/etc/config/.${file##*/}"
done
# Complete and beside their place before the first one takes it.
for file in candidate/*; do mv "/etc/config/.${file##*/}" "/etc/config/${file##*/}"; done
touch changed
for service in network firewall dnsmasq; do "/etc/init.d/$service" reload; done
touch settled
