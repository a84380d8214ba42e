import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { identityOf, isAlive, type ProcessIdentity } from '../../../src/adapters/process/proc/index.ts'
import { run } from '../../support/go-build.ts'
import type { Place } from '../place.ts'
import type { Part, State } from '../state.ts'
import { programsGroupFolder } from './cgroups.ts'
import { clusterMark } from './processes.ts'

const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Joins the group before the program begins: whatever it starts is inside too. */
const joinAndBecome = 'echo $$ > "$0/cgroup.procs" && exec "$@"'

/** Starts a part in its namespaces and in the cluster's group, on its own; its words go to its log. */
export async function startPart(place: Place, state: State, part: Part): Promise<ProcessIdentity> {
  const group = await programsGroupFolder(place.id)
  const command = [...(part.inside === null ? [] : entering(state, part.inside)), ...part.command]
  const log = openSync(logFileOf(place, part.name), 'a', 0o600)
  const child = spawn('/bin/sh', ['-c', joinAndBecome, group, ...command], {
    cwd: place.folder,
    env: environmentOf(place),
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  await once(child, 'spawn')
  child.unref()
  const identity = child.pid === undefined ? null : identityOf(child.pid)
  if (identity === null) throw new Error(`${part.name} ended at once; see ${logFileOf(place, part.name)}`)
  return identity
}

/** Runs a command to its end in the namespaces of a part, as one of the cluster's own: down would end it too. */
export async function runInside(
  place: Place,
  state: State,
  part: string,
  command: readonly string[],
): Promise<void> {
  const group = await programsGroupFolder(place.id)
  const words = Object.entries(environmentOf(place)).map(([name, value]) => `${name}=${value}`)
  const joined = ['/bin/sh', '-c', joinAndBecome, group, ...entering(state, part), ...command]
  await run('env', ['-i', ...words, ...joined])
}

function environmentOf(place: Place): Record<string, string> {
  return { PATH: searchPath, HOME: place.folder, [clusterMark]: place.id }
}

/** The words before a command that put it into the namespaces of a part. */
function entering(state: State, name: string): string[] {
  const holder = state.parts.find((part) => part.name === name)?.identity ?? null
  if (holder === null || !isAlive(holder)) {
    throw new Error(
      `The process that holds the namespaces "${name}" has ended: take the cluster down and up again.`,
    )
  }
  return ['nsenter', '--target', `${holder.pid}`, '--net', '--mount', '--']
}

/** Where a part's words go. */
export function logFileOf(place: Place, part: string): string {
  return path.join(place.logs, `${part}.log`)
}
