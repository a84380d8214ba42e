import { readdir, readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import {
  isAlive,
  type ProcessIdentity,
  type ProcessStat,
  statOf,
} from '../../../src/adapters/process/proc/index.ts'
import { groupMembers, thawGroups } from './cgroups.ts'

/** In the environment of everything that a cluster starts, with the cluster's id. */
export const clusterMark = 'HOLDFAST_CLUSTER'

/** Some hundred containers take a while; one that waits for a dead disk never ends. */
const killWithinMs = 30_000
const killRoundMs = 20

/** The processes of a cluster: by cgroup, by the mark in their environment and by what was recorded. */
export async function processesOf(id: string, recorded: readonly ProcessIdentity[]): Promise<ProcessStat[]> {
  const found = new Set([...(await groupMembers(id)), ...(await marked(id))])
  for (const identity of recorded) if (isAlive(identity)) found.add(identity.pid)
  found.delete(process.pid)
  return [...found].map(statOf).filter((stat) => stat !== null)
}

/** Ends everything of a cluster; gives the pids that did not end in time. */
export async function killAll(id: string, recorded: readonly ProcessIdentity[]): Promise<number[]> {
  const deadline = performance.now() + killWithinMs
  for (;;) {
    const remains = await processesOf(id, recorded)
    if (remains.length === 0 || performance.now() >= deadline) return remains.map(({ pid }) => pid)
    await thawGroups(id)
    for (const stat of remains) kill(stat)
    await setTimeout(killRoundMs)
  }
}

async function marked(id: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const carries = await Promise.all(pids.map((pid) => carriesMark(pid, id)))
  return pids.filter((_, index) => carries[index])
}

async function carriesMark(pid: number, id: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  return `\0${environment}`.includes(`\0${clusterMark}=${id}\0`)
}

function kill(stat: ProcessStat): void {
  if (statOf(stat.pid)?.startTicks !== stat.startTicks) return // another has its pid by now
  try {
    process.kill(stat.pid, 'SIGKILL')
  } catch {
    // ended meanwhile
  }
}
