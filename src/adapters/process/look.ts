import { access } from 'node:fs/promises'
import { uniqueFolders } from './cgroup/index.ts'
import type { HostContext } from './context.ts'
import { isAlive, type Traces } from './proc/index.ts'
import { type Layout, layoutOf, type RunnerRecord, type StartRecord, userIn } from './records/index.ts'
import { readRunner, readStart } from './records/read.ts'

/** One runner as its files and /proc show it. */
export interface Found {
  readonly files: Layout
  readonly start: StartRecord
  readonly record: RunnerRecord | null
  readonly shimAlive: boolean
  readonly ended: boolean
}

/** Reads one runner; null where there is none under this name. */
export async function look(context: HostContext, name: string): Promise<Found | null> {
  const { folder, living } = context
  const files = layoutOf(folder, name)
  const remembered = living.get(name)
  const start = remembered?.start ?? (await readStart(files.start))
  if (start === null) return null
  const record = await readRunner(files.runner).catch((error: unknown) => {
    if (remembered === undefined) throw error
    return null
  })
  // Our own memory goes first: the job may have written the record.
  const shimAlive = isAlive(remembered?.shim ?? record?.shim ?? null)
  // Read after the supervisor's state, which writes the ending as its last act: no end is missed in between.
  const written = await exists(files.ending)
  const ended = written && (shimAlive || !(await mayBeForged(context, start)))
  return { files, start, record, shimAlive, ended }
}

/**
 * A supervisor writes the ending as its last act and leaves by itself. Where it was killed, and its job is of the same
 * user, the job may have done both: such an ending counts as none.
 */
async function mayBeForged({ shimExits }: HostContext, start: StartRecord): Promise<boolean> {
  if (userIn(start) !== null) return false // out of the job's reach
  return ((await shimExits.get(start.name)) ?? null) !== null
}

/** The traces by which the processes of this runner are found. */
export function tracesOf({ start, record }: Pick<Found, 'start' | 'record'>): Traces {
  return {
    name: start.name,
    host: start.host,
    cgroups: start.groups === null ? [] : uniqueFolders(start.groups.folders),
    leader: record?.runner ?? null,
    user: start.user ?? null,
  }
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
