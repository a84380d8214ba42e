/** How a host is reached with the system's ssh client. */
export interface SshTarget {
  readonly address: string
  readonly port: number
  readonly user: string
  /** The only file whose host keys are trusted. */
  readonly knownHosts: string
  /** Null: the keys that the ssh client finds by itself. */
  readonly identityFile: string | null
}

/** How the runner is started and stopped. Each has fixed verbs; nothing of it is a command line. */
type RunnerService =
  | { readonly kind: 'systemd'; readonly unit: string }
  /** The script of that name in the root, as the runner's own `svc.sh install` leaves it. */
  | { readonly kind: 'svc.sh' }

/** A persistent runner: the folder in which it is installed on one machine. */
export interface RunnerHost {
  readonly name: string
  /** The runner's own folder. Nothing outside of it is looked at. */
  readonly root: string
  /** Name of its work folder, directly in the root. */
  readonly workFolder: string
  /** The account that runs jobs; null: the owner of the work folder. */
  readonly ownerUid: number | null
  /** Null: not declared, so only a person starts and stops it. */
  readonly service: RunnerService | null
  /** Null: this machine. */
  readonly ssh: SshTarget | null
}

/** Characters that mean nothing to a shell, to ssh or to its option parser. */
const plain = '[A-Za-z0-9._@+-]'

/** A name of one folder, host or repository. It begins with no dash and is neither `.` nor `..`. */
const plainName = new RegExp(`^(?!-)(?!\\.{1,2}$)${plain}{1,128}$`)
const plainPath = new RegExp(`^(?:/(?!-)(?!\\.{1,2}(?:/|$))${plain}{1,128}){1,32}$`)
const addressForm = /^[A-Za-z0-9](?:[A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?$/

export function isPlainName(text: string): boolean {
  return plainName.test(text)
}

/** An absolute path of plain names, without `.`, `..`, spaces and a slash at its end. */
export function isPlainPath(text: string): boolean {
  return plainPath.test(text)
}

/** A host name, or an IP address. */
export function isHostAddress(text: string): boolean {
  return addressForm.test(text)
}

export function workFolderOf({ root, workFolder }: RunnerHost): string {
  return `${root}/${workFolder}`
}

/** `this machine`, or `runner@honey.example.org`. */
export function placeOf({ ssh }: RunnerHost): string {
  return ssh === null ? 'this machine' : `${ssh.user}@${ssh.address}`
}
