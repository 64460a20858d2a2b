#!/bin/sh
# Takes the former configuration back, unless somebody confirmed the new one: after SECONDS, or at once at boot.
cd /etc/bootstrap || exit 1
[ "$1" = now ] || sleep "$1"
# The rename decides between this and confirm: only one of them finds the file.
mv armed taken-back 2> /dev/null || exit 0
/etc/init.d/bootstrap-rollback disable
rm -f settled
[ -e changed ] || exit 0
for file in before/*; do
  cp "$file" "/etc/config/.${file##*/}" && mv "/etc/config/.${file##*/}" "/etc/config/${file##*/}"
done
rm -f changed
logger -t bootstrap 'nobody confirmed the new configuration: the former one is back'
[ "$1" = now ] || for service in network firewall dnsmasq; do "/etc/init.d/$service" reload; done
