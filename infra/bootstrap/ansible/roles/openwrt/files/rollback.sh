#!/bin/sh
# rollback SECONDS CHANGE: takes the former configuration back, unless somebody confirmed that change by then; 0 at boot.
cd /etc/bootstrap || exit 1
sleep "$1"
# The rename decides between this and confirm: only one of them finds the file. It is of one change: a timer that was
# confirmed sleeps on, and must not take back the change after it.
mv "armed-$2" taken-back 2> /dev/null || exit 0
/etc/init.d/bootstrap-rollback disable
rm -f settled
[ -e changed ] || exit 0
for file in before/*; do
  cp "$file" "/etc/config/.${file##*/}" && mv "/etc/config/.${file##*/}" "/etc/config/${file##*/}"
done
rm -f changed
logger -t bootstrap 'nobody confirmed the new configuration: the former one is back'
[ "$1" = 0 ] || for service in network firewall dnsmasq; do "/etc/init.d/$service" reload; done
