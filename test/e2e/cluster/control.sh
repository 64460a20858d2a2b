#!/usr/bin/env bash
# For the tests that take away a part of the cluster:
#   control.sh start|kill NAME    a NAME of $E2E_WORK/run/*.command
#   control.sh hide|show PORT     whoever connects to it is refused, or no longer
set -euo pipefail
# shellcheck source=test/e2e/cluster/processes.sh
source "$(dirname "${BASH_SOURCE[0]}")/processes.sh"

work=${E2E_WORK:?set by test/e2e/run.sh}
# The tests run in the cluster's network already.
inside=()
case ${1-}/${2-} in
  start/?*) start_again "$2" ;;
  kill/?*) stop "$2" KILL ;;
  hide/?*) iptables --insert INPUT --protocol tcp --dport "$2" --jump REJECT --reject-with tcp-reset ;;
  show/?*) iptables --delete INPUT --protocol tcp --dport "$2" --jump REJECT --reject-with tcp-reset ;;
  *) fail 'usage: control.sh start|kill NAME, or hide|show PORT' ;;
esac
