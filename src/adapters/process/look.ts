import { access } from 'node:fs/promises'
import { uniqueFolders } from './cgroup/index.ts'
import type { HostContext } from './context.ts'
import { isAlive, type Traces } from './proc/index.ts'
import { type Layout, layoutOf, type RunnerRecord, type StartRecord } from './records/index.ts'
import { readRunner, readStart } from './records/read.ts'

/** What the files and /proc say about one runner. */
export interface Found {
  readonly files: Layout
  readonly start: StartRecord
  readonly record: RunnerRecord | null
  readonly shimAlive: boolean
  readonly ended: boolean
}

/** Looks at one runner; null where there is none under this name. */
export async function look({ folder, living }: HostContext, name: string): Promise<Found | null> {
  const files = layoutOf(folder, name)
  const remembered = living.get(name)
  const start = remembered?.start ?? (await readStart(files.start))
  if (start === null) return null
  const record = await readRunner(files.runner).catch((error: unknown) => {
    if (remembered === undefined) throw error
    return null
  })
  const shimAlive = isAlive(record?.shim ?? remembered?.shim ?? null)
  // Asked after the supervisor, which writes the ending as its last act: no end is missed in between.
  return { files, start, record, shimAlive, ended: await exists(files.ending) }
}

/** By what the processes of this runner are known. */
export function tracesOf({ start, record }: Pick<Found, 'start' | 'record'>): Traces {
  return {
    name: start.name,
    host: start.host,
    cgroups: start.groups === null ? [] : uniqueFolders(start.groups.folders),
    leader: record?.runner ?? null,
  }
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
