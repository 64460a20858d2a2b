#!/usr/bin/env bash
# Runs OpenTofu on one environment, with the credentials of that environment and of no other.
#   infra/tofu/tofu.sh ENVIRONMENT COMMAND [ARGUMENT...]
#   infra/tofu/environment/ENVIRONMENT/tofu.sh COMMAND [ARGUMENT...]
# Commands that only read run at once; every other one is asked about first, with or without -auto-approve.
set -euo pipefail
# Plans, local state and crash logs are for the one who runs this.
umask 077

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

say() { printf 'tofu.sh: %s\n' "$1" >&2; }

fail() {
  say "$1"
  exit "${2:-1}"
}

usage() {
  local names=() folder
  for folder in "$root"/environment/*/; do names+=("$(basename -- "$folder")"); done
  fail "usage: tofu.sh ENVIRONMENT COMMAND [ARGUMENT...], with one of: ${names[*]}" 2
}

# A shell that still holds the token of another project or site would point a plan at that one. Only .env counts.
forget_shell() {
  local name forgotten=()
  while IFS= read -r name; do
    case $name in
      AWS_* | MINIO_* | HCLOUD_* | PROXMOX_VE_* | PM_VE_* | NB_* | UNIFI_*) ;;
      TF_VAR_* | TF_CLI_ARGS* | TF_WORKSPACE | TF_DATA_DIR | TF_ENCRYPTION | TF_REATTACH_PROVIDERS) ;;
      *) continue ;;
    esac
    unset "$name"
    forgotten+=("$name")
  done < <(compgen -e)
  ((${#forgotten[@]} == 0)) || say "set in this shell, and not used: ${forgotten[*]}"
}

# Names in .env.example that match a pattern; NAME= is required there, #NAME= is optional.
example_names() { sed -nE "s/^$1([A-Za-z_][A-Za-z0-9_]*)=.*/\\1/p" .env.example; }

# Reads .env as text. It is never sourced: a password with $( in it is a password and not a command.
load_env() {
  local line name value number=0 known
  [[ -e .env ]] || fail "$environment has no .env: copy .env.example, fill it in, chmod 600."
  [[ -z $(find -L .env -perm -040 -o -perm -004) ]] || fail "$environment/.env can be read by others: chmod 600."
  known=" $(example_names '#?' | tr '\n' ' ')"
  for name in $known; do unset "$name"; done

  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    line=${line%$'\r'}
    [[ $line =~ ^[[:space:]]*(#|$) ]] && continue
    [[ $line =~ ^([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] ||
      fail "$environment/.env:$number: expected NAME=value, without export and without spaces around ="
    name=${BASH_REMATCH[1]}
    value=${BASH_REMATCH[2]}
    # PATH, LD_PRELOAD and their like are code, whatever they are called: only what the environment asks for gets in.
    [[ $known == *" $name "* ]] || fail "$environment/.env:$number: $name is not in .env.example"
    [[ -z ${!name+set} ]] || fail "$environment/.env:$number: $name is given twice"
    if [[ $value =~ ^\"(.*)\"$ || $value =~ ^\'(.*)\'$ ]]; then value=${BASH_REMATCH[1]}; fi
    export "$name=$value"
  done <.env

  local missing=() required
  required=" $(example_names '' | tr '\n' ' ')"
  for name in $known; do
    value=${!name-}
    [[ -z ${value//[[:space:]]/} ]] || continue
    # An optional one without a value is not given: empty, it would take the place of a default.
    unset "$name"
    [[ $required != *" $name "* ]] || missing+=("$name")
  done
  ((${#missing[@]} == 0)) || fail "empty or missing in $environment/.env: ${missing[*]}"
}

has_option() {
  local option argument
  option=$1
  shift
  for argument in "$@"; do
    case $argument in "-$option" | "--$option" | "-$option="* | "--$option="*) return 0 ;; esac
  done
  return 1
}

# True for what changes neither state nor the world. What is not listed here is asked about, so that a command of a
# later OpenTofu is as well. `tofu test` is not here: it applies, for real.
only_reads() {
  local command=$1
  shift
  case $command in
    plan | show | output | console | validate | graph | get | fmt | providers | version | metadata) return 0 ;;
    state) [[ ${1-} == list || ${1-} == show || ${1-} == pull ]] ;;
    workspace) [[ ${1-} == list || ${1-} == show ]] ;;
    init) ! has_option migrate-state "$@" && ! has_option force-copy "$@" && ! has_option reconfigure "$@" ;;
    *) return 1 ;;
  esac
}

ask() {
  local command=$1 answer expected=$environment
  shift
  if [[ $command == destroy ]] || has_option destroy "$@"; then expected="destroy $environment"; fi
  [[ -t 0 && -t 2 ]] || fail "tofu $command on $environment is for a human at a terminal; nothing was run."
  {
    printf '\nAbout to run on environment %s:\n  tofu' "$environment"
    printf ' %q' "$command" "$@"
    printf '\n'
    if has_option auto-approve "$@"; then echo "With -auto-approve tofu changes everything at once, and shows the plan too late to stop it."; fi
    printf 'Type "%s" to go on: ' "$expected"
  } >&2
  IFS= read -r answer || answer=
  [[ $answer == "$expected" ]] || fail "not confirmed; nothing was run."
}

environment=${1-}
[[ $environment =~ ^[a-z][a-z0-9-]*$ && -f $root/environment/$environment/backend.tf ]] || usage
shift
cd -- "$root/environment/$environment"
command -v tofu >/dev/null || fail "there is no tofu on the PATH: https://opentofu.org/docs/intro/install"

case ${1-} in
  '' | -h | -help | --help | -v | -version | --version | version | fmt) exec tofu "$@" ;;
  # -chdir would touch another environment with this one's credentials; any other option here hides the command.
  -*) fail "$1: options go behind the command, and -chdir is not for this script." 2 ;;
esac
if (($# == 2)) && [[ $2 == -help || $2 == --help || $2 == -h ]]; then exec tofu "$@"; fi

forget_shell
load_env
say "environment $environment: tofu $1"
only_reads "$@" || ask "$@"
exec tofu "$@"
