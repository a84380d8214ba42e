import { readdir, readFile, readlink } from 'node:fs/promises'

/** The kernel's state of a socket that listens. */
const listening = '0A'
const commandCharsMax = 80

interface Listener {
  readonly inode: string
  readonly uid: string
}

/** A description of the process that listens on this port; null where the kernel does not show it. */
export async function holderOf(port: number): Promise<string | null> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => textOf(`/proc/net/${name}`)))
  const found = tables.flatMap((table) => listenersOf(table, port))
  if (found.length === 0) return null
  const pid = await processWith(new Set(found.map(({ inode }) => `socket:[${inode}]`)))
  if (pid === null) return `a program of the user ${await userName(found[0]?.uid ?? '')}`
  return `process ${pid} (${await commandOf(pid)})`
}

/** The rows of /proc/net/tcp: number, local address, remote one, state, queues, timers, retries, user, timeout, inode. */
function listenersOf(table: string, port: number): Listener[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/)
    return local.endsWith(wanted) && state === listening ? [{ inode, uid }] : []
  })
}

/** Only root sees the sockets of other users' processes. */
async function processWith(sockets: ReadonlySet<string>): Promise<string | null> {
  const pids = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    for (const name of await namesIn(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')
      if (sockets.has(target)) return pid
    }
  }
  return null
}

/** The command up to its first option: from there on a command line may hold secrets. */
async function commandOf(pid: string): Promise<string> {
  const words = (await textOf(`/proc/${pid}/cmdline`)).split('\0').filter((word) => word !== '')
  const option = words.findIndex((word, at) => at > 0 && word.startsWith('-'))
  const command = words.slice(0, option < 0 ? words.length : option).join(' ')
  const text = command === '' ? (await textOf(`/proc/${pid}/comm`)).trim() : command
  return text.replaceAll(/\p{Cc}/gu, ' ').slice(0, commandCharsMax)
}

async function userName(uid: string): Promise<string> {
  const line = (await textOf('/etc/passwd')).split('\n').find((row) => row.split(':')[2] === uid)
  return line?.split(':')[0] ?? uid
}

/** The text of a file; empty where it does not exist (not Linux) or vanishes meanwhile. */
async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
