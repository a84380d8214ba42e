import { readFile, rm } from 'node:fs/promises'
import { isAlive } from '../../src/adapters/process/proc/index.ts'
import { run } from '../support/go-build.ts'
import { groupsOf, removeGroups } from './machine/cgroups.ts'
import { killAll, processesOf } from './machine/processes.ts'
import type { Place } from './place.ts'
import { readState, type State } from './state.ts'

/** Ends all of a cluster, in any state and started by any process; returns whether there was anything to end. */
export async function down(place: Place): Promise<boolean> {
  const state = await readState(place).catch(() => null) // what is known by mark and cgroup is ended all the same
  const starter = state?.startedBy ?? null
  if (starter !== null && starter.pid !== process.pid && isAlive(starter)) {
    throw new Error(`Process ${starter.pid} is starting the cluster "${place.name}": end it, or wait for it.`)
  }
  const before = await remains(place)
  const left = (await killAll(place.id, recorded(state))).map((pid) => `process ${pid}`)
  left.push(...(await removeGroups(place.id)))
  for (const mount of await mountsOf(place)) {
    await run('umount', ['--lazy', mount]).catch((error: Error) => left.push(error.message))
  }
  if (left.length > 0) throw new Error(`Of the cluster "${place.name}" stays: ${left.join('; ')}`)
  await rm(place.folder, { recursive: true, force: true, maxRetries: 3 })
  return before.length > 0 || state !== null
}

/** Processes, cgroups and mounts of a cluster, in words; none may be there after its end. */
export async function remains(place: Place): Promise<string[]> {
  const state = await readState(place).catch(() => null)
  return [
    ...(await processesOf(place.id, recorded(state))).map(({ pid }) => `process ${pid}`),
    ...(await groupsOf(place.id)).map((folder) => `cgroup ${folder}`),
    ...(await mountsOf(place)).map((folder) => `mount ${folder}`),
  ]
}

function recorded(state: State | null) {
  return (state?.parts ?? []).flatMap(({ identity }) => (identity === null ? [] : [identity]))
}

/** Everything is mounted in the nodes' own namespaces; this is for what somebody mounted by hand. Deepest first. */
async function mountsOf(place: Place): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')
  const points = lines.map((line) => line.split(' ')[4] ?? '')
  return points.filter((point) => point.startsWith(`${place.folder}/`)).reverse()
}
