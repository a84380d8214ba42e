import type { Cluster as Ours } from '../../../src/adapters/kubernetes/index.ts'
import { statOf } from '../../../src/adapters/process/proc/index.ts'
import { allStats } from '../../../src/adapters/process/proc/stat.ts'
import type { Ledger } from '../../../src/ports/ledger.ts'
import type { CaptureGround } from './ground.ts'

/** How long the calls of a capture take, by name. */
export interface Spans {
  cluster(ours: Ours): Ours
  ledger(ledger: Ledger): Ledger
  timed<Given extends unknown[], T>(
    name: string,
    call: (...given: Given) => Promise<T>,
  ): (...given: Given) => Promise<T>
  /** Such as `log 3.1 ms (1.0 each)`; so many records were sealed. */
  words(records: number): string
}

export function createSpans(): Spans {
  const sums = new Map<string, { count: number; ms: number }>()
  const timed: Spans['timed'] =
    (name, call) =>
    async (...given) => {
      const began = performance.now()
      try {
        return await call(...given)
      } finally {
        const sum = sums.get(name) ?? { count: 0, ms: 0 }
        sum.count += 1
        sum.ms += performance.now() - began
        sums.set(name, sum)
      }
    }
  return {
    timed,
    cluster: (ours) => ({
      ...ours,
      logs: { tail: timed('a log', ours.logs.tail) },
      events: { about: timed('its events', ours.events.about) },
    }),
    ledger: (ledger) => ({
      ...ledger,
      findRunner: timed('its row', ledger.findRunner),
      jobAtEnd: timed('its job', ledger.jobAtEnd),
      hostSamples: timed('host samples', ledger.hostSamples),
      sealDeath: timed('the seal', ledger.sealDeath),
    }),
    words: (records) =>
      [...sums]
        .map(
          ([name, { count, ms }]) =>
            `${(count / records).toFixed(1)} × ${name} of ${(ms / count).toFixed(1)} ms`,
        )
        .join(', '),
  }
}

/** The processor time by program from now until called, in ms for each of so many records. */
export async function processorTimes(
  { cluster }: CaptureGround,
  postgresPid: number,
): Promise<(records: number) => Promise<string>> {
  const { parts } = await cluster.parts.state()
  const pids = new Map(
    parts.flatMap(({ name, identity }) => (identity === null ? [] : [[name, identity.pid] as const])),
  )
  pids.set('this process', process.pid)
  const measure = async () => {
    const times = new Map([...pids].map(([name, pid]) => [name, statOf(pid)?.cpuMs ?? 0]))
    const servers = (await allStats()).filter(
      ({ pid, parent }) => pid === postgresPid || parent === postgresPid,
    )
    return times.set(
      'postgres',
      servers.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    )
  }
  const before = await measure()
  return async (records) => {
    const after = await measure()
    return [...after]
      .map(([name, ms]) => ({ name, each: (ms - (before.get(name) ?? 0)) / records }))
      .filter(({ each }) => each >= 0.1)
      .sort((a, b) => b.each - a.each)
      .map(({ name, each }) => `${name} ${each.toFixed(1)}`)
      .join(', ')
  }
}
