import { statOf } from '../../src/adapters/process/proc/index.ts'
import { allStats } from '../../src/adapters/process/proc/stat.ts'
import type { Ground } from './ground.ts'

/** The processor time by program, which shows where the time went. */
export async function processorTimes(ground: Ground): Promise<() => Promise<string>> {
  const { parts } = await ground.cluster.parts.state()
  const pids = new Map([
    ...parts.flatMap(({ name, identity }) => (identity === null ? [] : [[name, identity.pid] as const])),
    ['holdfast', ground.life().pid],
    ['the bench', process.pid],
    ['forge', ground.forgePid()],
  ])
  const began = performance.now()
  const before = await measure(pids, ground.postgresPid)
  return async () => {
    const after = await measure(pids, ground.postgresPid)
    const seconds = (performance.now() - began) / 1_000
    const used = [...after]
      .map(([name, ms]) => ({ name, share: (ms - (before.get(name) ?? 0)) / 10 / seconds }))
      .filter(({ share }) => share >= 1)
      .sort((a, b) => b.share - a.share)
    return used.map(({ name, share }) => `${name} ${Math.round(share)}`).join(', ')
  }
}

async function measure(pids: ReadonlyMap<string, number>, postmaster: number): Promise<Map<string, number>> {
  const times = new Map([...pids].map(([name, pid]) => [name, statOf(pid)?.cpuMs ?? 0]))
  const servers = (await allStats()).filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
  return times.set(
    'postgres',
    servers.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  )
}
