#!/bin/sh
# Asks Holdfast for one job and stages its configuration:  poller.sh [--then <command…>]
#
# With --then it runs the command on the job, in the same container, as `run` does in another one.
# Ends with 0: a configuration is staged, and Holdfast knows it. 10: Holdfast wants this runner to leave.
# 78: refused, or set up wrongly. 143 and 130: stopped, and nothing is staged.
#
# HOLDFAST_URL, HOLDFAST_RUNNER, HOLDFAST_TOKEN_FILE, HOLDFAST_JIT_DIR: needed.
# HOLDFAST_POLL_MS: how long the server holds a question open.
# HOLDFAST_VITALS: 1 stages vitals.sh too, for the launcher to start.
# HOLDFAST_POOL, HOLDFAST_NODE, HOLDFAST_POD_UID, HOLDFAST_IMAGE: shown in the job's log.
set -u
umask_before=$(umask)
umask 077

exit_leave=10
exit_refused=78
# Beyond what the server holds a question open, so that its own answer comes first.
timeout_margin_ms=15000
connect_timeout_s=10
# A server that has nothing and does not wait is not asked more often than this.
empty_answer_ms=250
back_off_first_ms=200
back_off_longest_ms=5000
# A server that asks for more is asked again after this all the same.
retry_after_max_s=300
# A configuration has some kilobytes; a larger answer is not Holdfast's. In blocks of 512 bytes.
answer_blocks_max=512
token_length_max=16384
address_length_max=2000
poll_ms_max=600000

child=

main() {
  trap 'stop 143' TERM
  trap 'stop 130' INT
  read_settings
  prepare
  failures=0
  until ask_for_job; do :; done
  printf '%s' "$jit" > "$work/jitconfig" || fail "$HOLDFAST_JIT_DIR: the configuration could not be written"
  chmod 0400 "$work/jitconfig" || fail "$HOLDFAST_JIT_DIR: its mode could not be set"
  write_setup_info
  failures=0
  until acknowledge; do :; done
  # Only now is it there for others: whole, and known to Holdfast.
  mv -f "$work/jitconfig" "$HOLDFAST_JIT_DIR/jitconfig" || fail "$HOLDFAST_JIT_DIR: it could not be staged"
  rm -rf "$work"
  say "job $job is staged"
}

read_settings() {
  command -v curl > /dev/null 2>&1 || fail 'curl is not here: use an image that has it, such as that of the poller'
  : "${HOLDFAST_URL:=}" "${HOLDFAST_RUNNER:=}" "${HOLDFAST_TOKEN_FILE:=}" "${HOLDFAST_JIT_DIR:=}"
  : "${HOLDFAST_POLL_MS:=55000}"
  is_address "$HOLDFAST_URL" || fail "HOLDFAST_URL: expected http://… or https://…, got \"$(safe "$HOLDFAST_URL")\""
  url=${HOLDFAST_URL%/}
  case $HOLDFAST_RUNNER in
    '' | *[!A-Za-z0-9._-]*)
      fail "HOLDFAST_RUNNER: expected the name of this runner, got \"$(safe "$HOLDFAST_RUNNER")\"" ;;
  esac
  case $HOLDFAST_POLL_MS in
    '' | *[!0-9]* | 0* | ???????*)
      fail "HOLDFAST_POLL_MS: expected 1 to $poll_ms_max, got \"$(safe "$HOLDFAST_POLL_MS")\"" ;;
  esac
  [ "$HOLDFAST_POLL_MS" -le "$poll_ms_max" ] || fail "HOLDFAST_POLL_MS: expected 1 to $poll_ms_max, got $HOLDFAST_POLL_MS"
  read_token || fail "HOLDFAST_TOKEN_FILE: expected a file with a token, $why"
  timeout_s=$(((HOLDFAST_POLL_MS + timeout_margin_ms + 999) / 1000))
}

# The folder is shared with the runner's container; what is not ready stands in a hidden one.
prepare() {
  [ -d "$HOLDFAST_JIT_DIR" ] || fail "HOLDFAST_JIT_DIR: expected a folder, got \"$(safe "$HOLDFAST_JIT_DIR")\""
  work=$HOLDFAST_JIT_DIR/.poller
  rm -rf "$work" "$HOLDFAST_JIT_DIR/jitconfig" "$HOLDFAST_JIT_DIR/setup_info" "$HOLDFAST_JIT_DIR/run" \
    "$HOLDFAST_JIT_DIR/vitals.sh"
  mkdir "$work" || fail "HOLDFAST_JIT_DIR: expected a folder that can be written to, got $HOLDFAST_JIT_DIR"
  case $0 in */*) own=${0%/*} ;; *) own=. ;; esac
  { cat "$own/run" > "$work/run" && chmod 0555 "$work/run" && mv -f "$work/run" "$HOLDFAST_JIT_DIR/run"; } ||
    fail "the launcher could not be copied from $own/run to $HOLDFAST_JIT_DIR"
  [ "${HOLDFAST_VITALS:-}" != 1 ] || stage_vitals
}

# A hint: where it is missing, the job runs without.
stage_vitals() {
  { cat "$own/vitals.sh" > "$work/vitals.sh" && chmod 0555 "$work/vitals.sh" &&
    mv -f "$work/vitals.sh" "$HOLDFAST_JIT_DIR/vitals.sh"; } 2> /dev/null ||
    say "$own/vitals.sh could not be copied: the log will be without vitals"
}

# True with `attempt`, `jit`, `job` and `page`, where there is a job.
ask_for_job() {
  post /v1/dispatch "{\"runner\":\"$HOLDFAST_RUNNER\"}"
  case $status in
    200) parse_job && return 0 ;;
    204)
      failures=0
      pause "$empty_answer_ms"
      return 1 ;;
  esac
  not_understood /v1/dispatch
  return 1
}

# Says that the configuration arrived. Only what is acknowledged may be run.
acknowledge() {
  post /v1/dispatch/ack "{\"runner\":\"$HOLDFAST_RUNNER\",\"attempt\":\"$attempt\"}"
  case $status in 2??) return 0 ;; esac
  not_understood /v1/dispatch/ack
  return 1
}

# A repeated question is the same to the server: whatever is not understood is asked again, ever more slowly.
not_understood() {
  case $status in
    410) leave ;;
    401 | 403) fail "Holdfast refused this runner ($status): its token is not that of a runner that is enrolled" ;;
    000) ;;
    *) why="not usable, status $status" ;;
  esac
  failures=$((failures + 1))
  back_off
  say "$url$1: $why; asking again in $wait_ms ms"
  pause "$wait_ms"
}

# Asks Holdfast. `status` is 000 where no whole answer came, and `why` says why.
post() {
  status=000
  retry_after=
  if ! read_token; then
    why="HOLDFAST_TOKEN_FILE: $why"
    return
  fi
  rm -f "$work/answer" "$work/head" "$work/said" "$work/error"
  # On its standard input: arguments and environment can be read by others. All values are free of quotes.
  # shellcheck disable=SC2016
  printf 'url = "%s"\nheader = "Authorization: Bearer %s"\ndata = "%s"\n' \
    "$url$1" "$token" "$(quoted "$2")" | (
    ulimit -c 0
    ulimit -f "$answer_blocks_max"
    exec curl -q --silent --show-error --config - --request POST --header 'Content-Type: application/json' \
      --header 'Expect:' --proto '=http,https' --connect-timeout "$connect_timeout_s" --max-time "$timeout_s" \
      --dump-header "$work/head" --output "$work/answer" --write-out '%{http_code}' \
      > "$work/said" 2> "$work/error"
  ) &
  child=$!
  token=
  wait "$child"
  ended=$?
  child=
  if [ "$ended" -ne 0 ]; then
    why=$(tail -n 1 "$work/error" 2> /dev/null)
    why=$(safe "${why:-curl ended with $ended}")
    return
  fi
  IFS= read -r status < "$work/said" || [ -n "$status" ] || status=000
  case $status in [1-5][0-9][0-9]) ;; *) status=000 why='no status' ;; esac
  read_retry_after
}

# It is renewed in place while we run, so it is read for every question.
read_token() {
  token=
  why="got none in \"$(safe "$HOLDFAST_TOKEN_FILE")\""
  [ -r "$HOLDFAST_TOKEN_FILE" ] || return 1
  IFS= read -r token < "$HOLDFAST_TOKEN_FILE" || [ -n "$token" ] || return 1
  why="got something else in \"$(safe "$HOLDFAST_TOKEN_FILE")\""
  case $token in '' | *[!A-Za-z0-9._~+/=-]*) token= ;; esac
  [ -n "$token" ] && [ "${#token}" -le "$token_length_max" ]
}

# A date is as good as no word: we back off.
read_retry_after() {
  [ -f "$work/head" ] || return 0
  while IFS=': ' read -r name value; do
    case $name in [Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]) ;; *) continue ;; esac
    value=${value%"$(printf '\r')"}
    case $value in '' | *[!0-9]* | ??????*) ;; *) retry_after=$value ;; esac
  done < "$work/head"
}

# One line of printable characters, with exactly what the server's contract names; nothing else is an answer. By sed:
# a shell takes seconds for a pattern on a long text.
parse_job() {
  [ -f "$work/answer" ] || return 1
  [ "$(LC_ALL=C tr -d '\040-\176' < "$work/answer" | wc -c)" -eq 0 ] || return 1
  attempt=$(part 1) && [ -n "$attempt" ] || return 1
  jit=$(part 2)
  job=$(part 3)
  page=$(part 4)
  [ "${#page}" -le "$address_length_max" ] && is_address "$page"
}

part() {
  attempt_form='"attempt":"\([0-9a-f-]\{36\}\)"'
  jit_form='"jit":"\([A-Za-z0-9+/=_.-][A-Za-z0-9+/=_.-]*\)"'
  job_form='"job":{"id":\([0-9]\{1,15\}\),"url":"\([^"\\]*\)"}'
  LC_ALL=C sed -n "s|^{$attempt_form,$jit_form,$job_form}\$|\\$1|p" "$work/answer"
}

# For the job's own log, in the form that GitHub's runner reads.
write_setup_info() {
  detail="Pool: $(safe "${HOLDFAST_POOL:-unknown}")\\nPod: $HOLDFAST_RUNNER"
  [ -z "${HOLDFAST_POD_UID:-}" ] || detail="$detail ($(safe "$HOLDFAST_POD_UID"))"
  detail="$detail\\nNode: $(safe "${HOLDFAST_NODE:-unknown}")\\nImage: $(safe "${HOLDFAST_IMAGE:-unknown}")"
  printf '[{"group":"Holdfast runner","detail":"%s\\nJob: %s"}]\n' "$detail" "$page" > "$work/setup_info" &&
    chmod 0444 "$work/setup_info" && mv -f "$work/setup_info" "$HOLDFAST_JIT_DIR/setup_info" ||
    fail "$HOLDFAST_JIT_DIR: it could not be written to"
}

# Doubled for each failure in a row up to a bound, with half of it left to chance: the runners of a Holdfast that
# comes back do not all ask at once.
back_off() {
  full_ms=$back_off_first_ms
  doubled=1
  while [ "$doubled" -lt "$failures" ] && [ "$full_ms" -lt "$back_off_longest_ms" ]; do
    full_ms=$((full_ms * 2))
    doubled=$((doubled + 1))
  done
  [ "$full_ms" -le "$back_off_longest_ms" ] || full_ms=$back_off_longest_ms
  chance=$(od -A n -t u2 -N 2 /dev/urandom 2> /dev/null | tr -d ' ')
  wait_ms=$((full_ms / 2 + full_ms / 2 * ${chance:-$(($$ % 65536))} / 65536))
  [ -n "$retry_after" ] || return 0
  [ "$retry_after" -le "$retry_after_max_s" ] || retry_after=$retry_after_max_s
  [ $((retry_after * 1000)) -le "$wait_ms" ] || wait_ms=$((retry_after * 1000))
}

# In the background: a shell handles a signal while it waits, but not while a command runs in the foreground.
pause() {
  sleep "$(($1 / 1000)).$(printf '%03d' $(($1 % 1000)))" 2> /dev/null &
  child=$!
  wait "$child" || pause_whole "$1"
  child=
}

# A sleep that knows no parts of a second.
pause_whole() {
  sleep $((($1 + 999) / 1000)) &
  child=$!
  wait "$child"
}

is_address() {
  case $1 in http://?* | https://?*) ;; *) return 1 ;; esac
  case $1 in *[!][A-Za-z0-9._~:/%@+=-]*) return 1 ;; esac
}

# A value as it may stand in a message and in JSON.
safe() {
  printf '%.300s' "$1" | LC_ALL=C tr -c 'A-Za-z0-9._:/@%+=, ()-' '?'
}

# JSON as it may stand between the quotation marks of curl's settings; there are no backslashes in ours.
quoted() {
  printf '%s' "$1" | sed 's/"/\\"/g'
}

say() {
  printf 'holdfast poller: %s\n' "$1" >&2
}

leave() {
  say 'Holdfast wants this runner to leave'
  clean
  exit "$exit_leave"
}

fail() {
  say "$1"
  clean
  exit "$exit_refused"
}

stop() {
  trap '' TERM INT
  [ -z "$child" ] || kill -KILL "$child" 2> /dev/null
  clean
  exit "$1"
}

clean() {
  [ -z "${work:-}" ] || rm -rf "$work" "$HOLDFAST_JIT_DIR/jitconfig"
}

case ${1:-} in
  '') main ;;
  --then)
    shift
    [ $# -gt 0 ] || fail '--then: expected a command, got nothing'
    main
    launcher=$HOLDFAST_JIT_DIR/run
    unset HOLDFAST_URL HOLDFAST_TOKEN_FILE HOLDFAST_JIT_DIR HOLDFAST_POLL_MS
    umask "$umask_before"
    exec sh "$launcher" "$@" ;;
  *) fail "expected nothing or --then <command…>, got \"$(safe "$1")\"" ;;
esac
