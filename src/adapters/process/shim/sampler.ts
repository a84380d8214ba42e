import { readdirSync, readFileSync } from 'node:fs'
import type { Sample } from '../../../domain/death/index.ts'
import { type RunnerGroups, readUsage, type Usage } from '../cgroup/index.ts'
import { statOf } from '../proc/index.ts'

/** Two minutes at one each second. */
const samplesMax = 120
/** A job with more processes than this is counted up to here only. */
const processesMax = 2_000

export interface Sampler {
  sample(): void
  samples(): readonly Sample[]
}

/** Keeps the newest samples of what the runner uses. */
export function createSampler(groups: RunnerGroups | null, leader: number, now: () => number): Sampler {
  const ring: Sample[] = []
  return {
    sample() {
      const fromGroups = groups === null ? nothing : readUsage(groups)
      const whole = Object.values(fromGroups).every((value) => value !== null)
      const fromProc = whole ? nothing : usageBelow(leader)
      ring.push({
        at: now(),
        memoryBytes: fromGroups.memoryBytes ?? fromProc.memoryBytes,
        cpuMs: fromGroups.cpuMs ?? fromProc.cpuMs,
        processes: fromGroups.processes ?? fromProc.processes,
      })
      if (ring.length > samplesMax) ring.shift()
    },
    samples: () => [...ring],
  }
}

const nothing: Usage = { memoryBytes: null, cpuMs: null, processes: null }

/** Without groups: the leader and what descends from it now. Shared pages count in each process. */
function usageBelow(leader: number): Usage {
  const pids = [leader]
  for (let index = 0; index < pids.length && pids.length < processesMax; index++) {
    pids.push(...childrenOf(pids[index] ?? leader))
  }
  const stats = pids.map(statOf).filter((stat) => stat !== null)
  if (stats.length === 0) return nothing
  return {
    memoryBytes: stats.reduce((sum, stat) => sum + residentBytes(stat.pid), 0),
    cpuMs: stats.reduce((sum, stat) => sum + stat.cpuMs, 0),
    processes: stats.length,
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0 // ended meanwhile
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return [] // ended meanwhile
  }
}
