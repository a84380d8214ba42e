import { bounds } from './bounds.ts'

/**
 * A function of the scripts for hosts: prints processes that are named like a part of the runner, and whether all could be seen. `$real` is
 * the runner's root. A process that ended and waits for its parent is none, unless another of its threads runs. A program's name ends at
 * its first line break, so that it cannot look like another record.
 */
export const processesFunction = `processes() {
  whole=1 count=0
  [ -r /proc/1/comm ] || whole=0
  for process in /proc/[0-9]*; do
    name=
    IFS= read -r name 2>/dev/null <"$process/comm" || continue
    case $name in
      Runner.Worker) role=worker ;;
      Runner.Listener) role=listener ;;
      *) continue ;;
    esac
    line=
    IFS= read -r line 2>/dev/null <"$process/stat" || continue
    case \${line##*) } in
      [ZX]*) set -- "$process"/task/[0-9]*; [ $# -gt 1 ] || continue ;;
    esac
    count=$((count + 1))
    if [ "$count" -gt ${bounds.processesMax} ]; then whole=0; break; fi
    uid=$(stat -c %u "$process" 2>/dev/null) || continue
    program=$(head -c 4096 "$process/cmdline" 2>/dev/null | tr "\\0" "\\n" | head -n 1)
    place=unknown
    case $program in
      /*)
        file=$(readlink -e -- "$program" 2>/dev/null)
        case $file in
          "$real"/*) place=here ;;
          ?*) place=elsewhere ;;
        esac ;;
    esac
    printf "P%s %s %s %s %s\\0" "\${process#/proc/}" "$role" "$uid" "$place" "$program"
  done
  printf "p%s\\0" "$whole"
}
`
