import { bounds, outputBytesMax } from './bounds.ts'
import { processesFunction } from './processes-function.ts'

/** The first token of an answer: another version of the script is another format. */
export const formatName = 'holdfast-workdir-2'

/**
 * Looks at a host from its own shell. It is the same text for every host: root, work folder and account come on its standard input, one in
 * each line, and stand in quotes wherever they are used. Tokens of its answer end with a NUL, which no name can have.
 *
 * It works in the work folder itself, so that exchanging a folder of the path meanwhile leads nowhere else; `find -P` follows no symlink and
 * opens directories by their parents. Plain entries are a dot each, directories a slash and their depth. `X` ends a list that may be cut.
 */
const script = `
LC_ALL=C PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
export LC_ALL PATH
IFS= read -r root && IFS= read -r work && IFS= read -r owner || exit 64
printf "${formatName}\\0"
if ! find / -maxdepth 0 -printf "" 2>/dev/null || ! timeout 5 true 2>/dev/null; then printf "N\\0"; exit 0; fi
printf "C%s %s\\0" "$(date +%s)" "$(id -u)"

${processesFunction}
real=
if cd -P -- "$root" 2>/dev/null; then real=$(pwd -P) root_id=$(stat -c %d:%i .); fi
if [ -z "$real" ]; then printf "Wmissing\\0END\\0"; exit 0; fi
if [ -L "./$work" ]; then printf "Wsymlink\\0END\\0"; exit 0; fi
if [ ! -e "./$work" ]; then printf "Wmissing\\0END\\0"; exit 0; fi
if ! cd -P -- "./$work" 2>/dev/null || [ ! -r . ]; then printf "Wunreadable\\0END\\0"; exit 0; fi
if [ "$(pwd -P)" != "$real/$work" ]; then printf "Wsymlink\\0END\\0"; exit 0; fi
folder_owner=$(stat -c %u .)
[ "$owner" = - ] && owner=$folder_owner
printf "Wfolder %s %s %s %s\\0" "$folder_owner" "$(stat -c %d:%i .)" "$root_id" "$real"
printf "S%s\\0" "$(stat -f -c "%S %b %a %c %d" . 2>/dev/null)"
processes
{
  timeout ${bounds.readMaxMs / 1000} find -P . -xdev -mindepth 1 -maxdepth 1 \\
    -type d -empty -printf "F%y %D:%i %C@ 1 %P\\0" -o -printf "F%y %D:%i %C@ 0 %P\\0" 2>/dev/null
  printf "f%s\\0" "$?"
} | head -c ${outputBytesMax / 8}
printf "\\0X\\0"
{
  timeout ${bounds.readMaxMs / 1000} find -P . -xdev -mindepth 1 -maxdepth ${bounds.depthMax} \\
    -type d \\( ! -readable -o ! -executable \\) -printf "U%y %U %m %d %T@ %P\\0" -o \\
    \\( ! -uid "$owner" -o -type d ! -perm -u=rwx -o -type f -name "*.lock" -path "*/.git/*" \\) \\
      -printf "E%y %U %m %d %T@ %P\\0" -o \\
    -type d -printf "/%d" -o -printf . 2>/dev/null
  printf "\\0Z%s\\0" "$?"
} | head -c ${outputBytesMax / 2}
printf "\\0X\\0"
processes
printf "END\\0"
`

/** The one command that a host is asked to run: nothing of it depends on a host. */
export const remoteCommand = `exec sh -c '${script}'`

/** The parameters of the script, as it reads them. The caller has checked their form. */
export function scriptInput(root: string, workFolder: string, ownerUid: number | null): string {
  return `${root}\n${workFolder}\n${ownerUid ?? '-'}\n`
}
