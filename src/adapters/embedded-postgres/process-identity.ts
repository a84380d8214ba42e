import { readdir, readFile, readlink } from 'node:fs/promises'
import { isLack } from '../../domain/errors/index.ts'
import { run } from './run.ts'

/** The identity of a process, which a later one under the same pid does not share. */
export interface ProcessIdentity {
  readonly pid: number
  /** Linux: clock ticks since boot; elsewhere the date that ps prints. */
  readonly startedAt: string
  /** Ticks since boot mean something only within one boot. */
  readonly bootId: string
}

const linux = process.platform === 'linux'

/** The identity of a live process; undefined when there is none, or only its zombie. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = linux ? await startTicks(pid) : await startDate(pid)
  if (startedAt === undefined) return undefined
  return { pid, startedAt, bootId: linux ? await bootId() : '' }
}

/**
 * Whether the process of this record still lives; a re-used pid is another process. Throws where that cannot be read for
 * what we lack ourselves: who takes a live holder for dead starts a second server in its folder.
 */
export async function isAlive(recorded: ProcessIdentity): Promise<boolean> {
  const now = await identityOf(recorded.pid)
  return now !== undefined && now.startedAt === recorded.startedAt && now.bootId === recorded.bootId
}

/** The pids of Postgres programs that work in this folder; never another program, whatever its pid was before. */
export async function postgresProcessesIn(folder: string, pidHint: number | undefined): Promise<number[]> {
  if (linux) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
    const matches = await Promise.all(pids.map((pid) => worksIn(pid, folder)))
    return pids.filter((_, index) => matches[index])
  }
  if (pidHint === undefined) return []
  const { output } = await run('ps', ['-o', 'command=', '-p', String(pidHint)])
  return output.includes('postgres') && output.includes(folder) ? [pidHint] : []
}

async function worksIn(pid: number, folder: string): Promise<boolean> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== folder) return false
    const name = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim()
    return (name === 'postgres' || name === 'initdb') && (await startTicks(pid)) !== undefined
  } catch (error) {
    if (isLack(error)) throw error
    return false // gone meanwhile, or another user's and so not our server
  }
}

async function startTicks(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // the name before may hold anything
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch (error) {
    if (isLack(error)) throw error
    return undefined
  }
}

async function startDate(pid: number): Promise<string | undefined> {
  const { output } = await run('ps', ['-o', 'lstart=', '-p', String(pid)])
  return output.trim() || undefined
}

async function bootId(): Promise<string> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  } catch (error) {
    if (isLack(error)) throw error
    return '' // some sandboxes do not show it; the start time alone must do
  }
}
