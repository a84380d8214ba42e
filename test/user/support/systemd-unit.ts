import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const unit = readFileSync(new URL('../../../deploy/systemd/holdfast.service', import.meta.url), 'utf8')
const valuesOf = (key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value as string)
const wordsOf = (key: string): string[] => valuesOf(key).flatMap((value) => value.split(' '))

/** The folders that systemd makes for the unit, and leaves writable. */
const own = [
  ...wordsOf('StateDirectory').map((name) => `/var/lib/${name}`),
  ...wordsOf('CacheDirectory').map((name) => `/var/cache/${name}`),
  ...wordsOf('RuntimeDirectory').map((name) => `/run/${name}`),
]
/** Folders that `ProtectSystem=strict` leaves alone as well. */
const apiFolders = ['/dev', '/proc', '/sys', '/tmp', '/var/tmp']

/**
 * Starts the unit's command as systemd would, as far as mounts and capabilities go: in a mount namespace of its own,
 * everything read-only but what the unit names, homes hidden, processes of others hidden, and of root's capabilities
 * only those of the unit. System call filters and devices are left out. `settings` is the file of /etc/holdfast.
 */
export function asSystemdStartsIt(settings: string): { readonly command: string[]; readonly args: string[] } {
  const [bounding = ''] = valuesOf('CapabilityBoundingSet')
  const capabilities = bounding.split(' ').map((name) => `+${name.replace('CAP_', '').toLowerCase()}`)
  const script = [
    'set -eu',
    'scratch=$(mktemp -d); mount -t tmpfs tmpfs "$scratch"; cd "$scratch"',
    'mkdir checkout etc; mount --rbind "$1" checkout; cp -a /etc/. etc',
    `mkdir -p etc/holdfast; printf '%s' "$2" > etc/holdfast/holdfast.yaml; mount --bind etc /etc`,
    'for each in /opt /run /var/lib /var/cache; do mount -t tmpfs tmpfs "$each"; done',
    'mkdir /opt/holdfast; mount --rbind checkout /opt/holdfast',
    `for each in ${own.join(' ')}; do mkdir -m 0755 "$each"; mount --bind "$each" "$each"; done`,
    'for each in /root /home /var/tmp /tmp; do mount -t tmpfs -o mode=1777 tmpfs "$each"; done',
    `mount -t proc -o hidepid=${valuesOf('ProtectProc')[0]} proc /proc`,
    `cut -d' ' -f5 /proc/self/mountinfo | while read -r each; do`,
    `  case $each/ in ${[...own, ...apiFolders].map((folder) => `${folder}/*`).join(' | ')}) continue ;; esac`,
    '  mount -o remount,bind,ro "$each" 2> /dev/null || [ ! -e "$each" ]',
    'done',
    'cd /',
    `exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin ${valuesOf('Environment').join(' ')} \\`,
    `  setpriv --bounding-set=-all,${capabilities.join(',')} --no-new-privs ${valuesOf('ExecStart')[0]}`,
  ].join('\n')
  const command = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'unit']
  return { command, args: [checkout, settings] }
}
