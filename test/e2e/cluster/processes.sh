# shellcheck shell=bash
# What runs in the background: each process with its pid, its command and its log in $work, ended by pid.

# start NAME COMMAND...: in the cluster's network, out of reach of the terminal's Ctrl-C.
start() {
  local name=$1
  shift
  printf '%s\0' "$@" >"$work/run/$name.command"
  start_again "$name"
}

start_again() {
  local name=$1 command=()
  mapfile -d '' -t command <"$work/run/$name.command"
  setsid "${inside[@]}" "${command[@]}" >>"$work/log/$name.log" 2>&1 </dev/null &
  echo $! >"$work/run/$name.pid"
  # Ended by pid and in order, and not with whatever else of this shell is still under way.
  disown
}

# stop NAME [SIGNAL]
stop() {
  local name=$1 signal=${2-TERM} pid tries=0
  [[ -f $work/run/$name.pid ]] || return 0
  pid=$(<"$work/run/$name.pid")
  rm -f "$work/run/$name.pid"
  kill -s "$signal" "$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null; do
    ((++tries < 75)) || {
      kill -KILL "$pid" 2>/dev/null || true
      break
    }
    sleep 0.2
  done
}

# await SECONDS WHAT COMMAND...: until the command succeeds.
await() {
  local seconds=$1 what=$2 deadline
  shift 2
  deadline=$((SECONDS + seconds))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || fail "$what: not within ${seconds}s"
    sleep 0.1
  done
}

fail() {
  echo "test/e2e: $1" >&2
  exit 1
}
