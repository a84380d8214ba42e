import type { FolderTarget, RunnerHost, ServiceTarget } from '../../domain/workdir/index.ts'
import { bounds } from './bounds.ts'
import { processesFunction } from './processes-function.ts'

/** The first token of an answer: another version of the script is another format. */
export const actFormatName = 'holdfast-act-1'

/**
 * Changes one folder, or starts and stops the service, from a shell of the host. It is the same text for every host, as the reader's is: all
 * that differs comes on its standard input, one in each line and the last one `go`, so that an input which was cut does nothing.
 *
 * It enters root, work folder and folder one after the other and compares device and inode of each, so that exchanging one meanwhile leads
 * nowhere else; from then on it names only what is in its current directory. `find -delete` follows no symlink. As root it gives write bits
 * back as the runner's account, which can reach nothing but its own.
 */
const script = `
LC_ALL=C PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
export LC_ALL PATH
IFS= read -r verb && IFS= read -r root && IFS= read -r work && IFS= read -r folder &&
IFS= read -r root_id && IFS= read -r work_id && IFS= read -r folder_id && IFS= read -r owner &&
IFS= read -r service && IFS= read -r unit && IFS= read -r expected && IFS= read -r last || exit 64
[ "$last" = go ] || exit 64
printf "${actFormatName}\\0"
answer() { printf "%s\\0END\\0" "$1"; exit 0; }
find / -maxdepth 0 -printf "" 2>/dev/null && timeout 5 true 2>/dev/null || answer "refused tools"
me=$(id -u)

${processesFunction}
look() {
  seen=$(processes | tr "\\0" "\\n")
  case $seen in *p1) ;; *) answer "refused processes" ;; esac
  workers=$(printf "%s\\n" "$seen" | grep -a -c -E "^P[0-9]+ worker [0-9]+ (here|unknown) ")
  [ "$workers" = 0 ] || answer "refused worker"
  listeners=$(printf "%s\\n" "$seen" |
    sed -n -E "s/^P([0-9]+) listener [0-9]+ (here|unknown) .*/\\1/p" | sort -n | tr "\\n" " ")
}
is() { [ "$(stat -c %d:%i . 2>/dev/null)" = "$1" ]; }

in_folder() {
  [ ! -L "./$work" ] || answer "refused symlink"
  [ -e "./$work" ] || answer gone
  cd -P -- "./$work" 2>/dev/null || answer "refused rights"
  [ "$(pwd -P)" = "$real/$work" ] && is "$work_id" || answer conflict
  [ ! -L "./$folder" ] || answer "refused symlink"
  [ -e "./$folder" ] || answer gone
  cd -P -- "./$folder" 2>/dev/null || answer "refused rights"
  [ "$(pwd -P)" = "$real/$work/$folder" ] && is "$folder_id" || answer conflict
  [ "\${work_id%%:*}" = "\${folder_id%%:*}" ] || answer "refused mount"
  while read -r _ _ _ _ point _; do
    case $point in "$real/$work/$folder" | "$real/$work/$folder"/*) answer "refused mount" ;; esac
  done </proc/self/mountinfo
}
may_change() {
  [ "$me" = 0 ] && return
  [ "$verb" = remove ] || [ "$me" = "$owner" ] || answer "refused rights"
  foreign=$(timeout 60 find -P . -xdev -type d ! -uid "$me" \\
    \\( ! -readable -o ! -writable -o ! -executable -o -perm -1000 \\) -print -quit 2>/dev/null) || answer "refused rights"
  [ -z "$foreign" ] || answer "refused rights"
}
unlock() {
  [ "$(stat -c %u .)" != "$1" ] || chmod u+rwx .
  timeout ${bounds.changeMaxMs / 1000} $2 find -P . -xdev -mindepth 1 -type d -uid "$1" ! -perm -u=rwx -exec chmod u+rwx -- {} \\;
}
change() {
  as_owner=
  if [ "$me" = 0 ] && [ "$owner" != 0 ]; then
    as_owner="setpriv --reuid=$owner --regid=$(stat -c %g .) --clear-groups --no-new-privs --"
    $as_owner true 2>/dev/null || answer "refused tools"
  fi
  case $verb in
    unlock) unlock "$owner" "$as_owner" ;;
    remove)
      [ "$me" = 0 ] || unlock "$me" ""
      timeout ${bounds.changeMaxMs / 1000} find -P . -xdev -mindepth 1 -delete
      # A folder that the runner cannot write goes as a whole: its next job makes it again.
      if [ -z "$(find -P . -maxdepth 0 -uid "$owner" -perm -u=rwx)" ]; then
        cd -P .. && is "$work_id" && rmdir -- "./$folder"
      fi ;;
  esac
}

trusted() {
  [ -n "$(find -P "$1" -maxdepth 0 \\( -uid 0 -o -uid "$me" \\) ! -perm /022 2>/dev/null)" ]
}
control() {
  case $service in
    systemd) words=$(timeout ${bounds.serviceMaxMs / 1000} systemctl --no-ask-password --no-pager "$verb" -- "$unit" 2>&1 </dev/null) ;;
    svc.sh) words=; timeout ${bounds.serviceMaxMs / 1000} ./svc.sh "$verb" </dev/null >/dev/null 2>&1 ;;
    *) exit 64 ;;
  esac
  code=$?
  case $code in
    0) answer done ;;
    124) answer unknown ;;
    *) answer "failed $code $words" ;;
  esac
}

real=
if cd -P -- "$root" 2>/dev/null; then real=$(pwd -P); fi
[ -n "$real" ] || answer gone
[ "$real" = "$root" ] || answer "refused symlink"
is "$root_id" || answer conflict
case $verb in
  remove | unlock)
    in_folder
    may_change
    look
    [ -z "$listeners" ] || answer "refused listener"
    change >/dev/null 2>&1
    answer done ;;
  start | stop)
    if [ "$service" = svc.sh ]; then
      [ -f ./svc.sh ] && [ ! -L ./svc.sh ] || answer "refused script-missing"
      trusted . && trusted ./svc.sh || answer "refused script"
    fi
    look
    [ "\${listeners% }" = "$expected" ] || answer conflict
    control ;;
esac
exit 64
`

/** The one command that a host is asked to run: nothing of it depends on a host. */
export const actCommand = `exec sh -c '${script}'`

const none = '-'

/** The parameters of the script for a folder, as it reads them. The caller has checked their form. */
export function folderInput(
  { root, workFolder }: RunnerHost,
  { mode, folder, ids, ownerUid }: FolderTarget,
): string {
  return lines(
    mode,
    root,
    workFolder,
    folder,
    ids.root,
    ids.work,
    ids.folder,
    String(ownerUid),
    none,
    none,
    '',
  )
}

/** The same for the service. */
export function serviceInput(
  { root, service }: RunnerHost,
  { verb, rootId, listeners }: ServiceTarget,
): string {
  const unit = service?.kind === 'systemd' ? service.unit : none
  const expected = listeners.join(' ')
  return lines(verb, root, none, none, rootId, none, none, none, service?.kind ?? none, unit, expected)
}

function lines(...parameters: readonly string[]): string {
  return `${[...parameters, 'go'].join('\n')}\n`
}
