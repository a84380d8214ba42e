#!/bin/sh
# Prints how the container stands, one line each 3 s, for its log:  vitals.sh &
#
#   2026-01-02T03:04:05Z RUNNER_VITALS mem_current=… mem_peak=… mem_max=… oom=… oom_kill=… cpu_busy=… …
#
# Bytes, counts, and shares from 0 to 100; cpu_busy is in percent of one processor, psi_… the share of the last 10 s.
# Values that this kernel does not show are left out. The job runs in the same container and can print the same lines: they are
# a hint, never proof.
#
# HOLDFAST_VITALS_INTERVAL_S: pause between two lines. HOLDFAST_VITALS_LINES: ends after so many; 0: never.
# HOLDFAST_VITALS_ROOT: where /proc and /sys are. HOLDFAST_VITALS_OF: number of a process; ends with it.
set -u

interval_s_default=3
interval_s_max=3600
lines_max=1000000000

child=
groups=

main() {
  trap 'stop' TERM INT HUP
  root=${HOLDFAST_VITALS_ROOT:-}
  interval_s=$(setting HOLDFAST_VITALS_INTERVAL_S "${HOLDFAST_VITALS_INTERVAL_S:-$interval_s_default}" 1 "$interval_s_max") || exit 78
  lines=$(setting HOLDFAST_VITALS_LINES "${HOLDFAST_VITALS_LINES:-0}" 0 "$lines_max") || exit 78
  find_groups
  cpu_before_us=
  printed=0
  while :; do
    print_line || exit 0
    printed=$((printed + 1))
    [ "$printed" -ne "$lines" ] || exit 0
    pause
    [ -z "${HOLDFAST_VITALS_OF:-}" ] || [ -d "/proc/$HOLDFAST_VITALS_OF" ] || exit 0
  done
}

setting() {
  case $2 in
    '' | *[!0-9]* | ???????????*) ;;
    *) if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
      printf '%s' "$2"
      return 0
    fi ;;
  esac
  printf 'vitals: %s: expected %s to %s, got "%.40s"\n' "$1" "$3" "$4" "$2" >&2
  return 1
}

# In version 2 all files of the container's group stand together, in version 1 each controller has a folder of its own.
# Where the container sees the whole tree, its own group is named in /proc/self/cgroup.
find_groups() {
  top=$root/sys/fs/cgroup
  if [ -r "$top/cgroup.controllers" ]; then
    groups=2
    memory=$(own_group "$top" '')
    cpu=$memory
    pids=$memory
  else
    groups=1
    memory=$(own_group "$top/memory" memory)
    cpu=$(own_group "$top/cpuacct" cpuacct)
    pids=$(own_group "$top/pids" pids)
  fi
}

own_group() {
  own=
  if [ -r "$root/proc/self/cgroup" ]; then
    while IFS=: read -r _ controllers path; do
      case ",$controllers," in *",$2,"*) own=$path ;; esac
    done < "$root/proc/self/cgroup"
  fi
  case $own in
    '' | / | */..*) printf '%s' "$1" ;;
    *) if [ -d "$1$own" ]; then printf '%s' "$1$own"; else printf '%s' "$1"; fi ;;
  esac
}

print_line() {
  line=
  if [ "$groups" -eq 2 ]; then
    add_file mem_current "$memory/memory.current"
    add_file mem_peak "$memory/memory.peak"
    add_file mem_max "$memory/memory.max"
    add oom "$(field "$memory/memory.events" oom)"
    add oom_kill "$(field "$memory/memory.events" oom_kill)"
    add_cpu "$(field "$cpu/cpu.stat" usage_usec)"
  else
    add_file mem_current "$memory/memory.usage_in_bytes"
    add_file mem_peak "$memory/memory.max_usage_in_bytes"
    add_limit "$(first "$memory/memory.limit_in_bytes")"
    add oom_kill "$(field "$memory/memory.oom_control" oom_kill)"
    ns=$(first "$cpu/cpuacct.usage")
    case $ns in '' | *[!0-9]*) ;; *) add_cpu $((ns / 1000)) ;; esac
  fi
  add psi_cpu "$(pressure cpu)"
  add psi_mem "$(pressure memory)"
  add psi_io "$(pressure io)"
  add load1 "$(first "$root/proc/loadavg")"
  add_disk
  add fds "$(files_open)"
  add_file pids "$pids/pids.current"
  printf '%s RUNNER_VITALS%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$line"
}

# Only a number is a value: "max" and whatever else a file may say are left out.
add() {
  case $2 in
    '' | *[!0-9.]* | .* | *. | *.*.*) ;;
    *) line="$line $1=$2" ;;
  esac
}

add_file() {
  add "$1" "$(first "$2")"
}

# Version 1 writes "no limit" as the largest number of pages.
add_limit() {
  case $1 in ???????????????????*) ;; *) add mem_max "$1" ;; esac
}

# The time that the group ran since the last line, in percent of the time that passed.
add_cpu() {
  now_cs=$(uptime_cs)
  case $1$now_cs in '' | *[!0-9]*) return ;; esac
  if [ -n "$cpu_before_us" ] && [ "$now_cs" -gt "$cpu_before_cs" ] && [ "$1" -ge "$cpu_before_us" ]; then
    add cpu_busy $((($1 - cpu_before_us) / (now_cs - cpu_before_cs) / 100))
  fi
  cpu_before_us=$1
  cpu_before_cs=$now_cs
}

uptime_cs() {
  up=$(first "$root/proc/uptime")
  case $up in *[!0-9.]* | '' | *.*.*) return ;; esac
  part=${up#*.}
  [ "$part" != "$up" ] || part=00
  part=$(printf '%.2s' "${part}00")
  printf '%s' "${up%%.*}$part"
}

# The first word of a file.
first() {
  [ -r "$1" ] || return 0
  word=
  read -r word _ 2> /dev/null < "$1"
  printf '%s' "$word"
}

# A shell reads byte by byte, and these files of the kernel give all of themselves to the first read only.
files_open() {
  cat "$root/proc/sys/fs/file-nr" 2> /dev/null | {
    read -r open _
    printf '%s' "${open:-}"
  }
}

# The number behind a name at the beginning of a line.
field() {
  [ -r "$1" ] || return 0
  while read -r name value _; do
    if [ "$name" = "$2" ]; then
      printf '%s' "$value"
      return 0
    fi
  done 2> /dev/null < "$1"
}

# The group's own where the kernel shows it, else the machine's.
pressure() {
  for file in "$memory/$1.pressure" "$root/proc/pressure/$1"; do
    [ -r "$file" ] || continue
    read -r kind average _ 2> /dev/null < "$file" || continue
    [ "$kind" = some ] || continue
    printf '%s' "${average#avg10=}"
    return 0
  done
}

# Of the folder that the job works in.
add_disk() {
  kib=$(df -Pk . 2> /dev/null | column_four)
  case $kib in '' | *[!0-9]*) ;; *) add disk_free $((kib * 1024)) ;; esac
  add inodes_free "$(df -Pi . 2> /dev/null | column_four)"
}

column_four() {
  read -r _ || return 0
  read -r _ _ _ value _ || return 0
  printf '%s' "$value"
}

# In the background: a shell handles a signal while it waits, but not while a command runs in the foreground.
pause() {
  sleep "$interval_s" &
  child=$!
  wait "$child"
  child=
}

stop() {
  [ -z "$child" ] || kill "$child" 2> /dev/null
  exit 0
}

main
