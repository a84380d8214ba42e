import { setTimeout as pause } from 'node:timers/promises'
import { scriptOf } from '../../test/forge-faults/fleet/script.ts'
import { since, sumOf } from '../../test/forge-faults/forge/numbers.ts'
import { callLines } from '../../test/forge-faults/report.ts'
import { labels, repositoryName } from '../../test/forge-faults/workload.ts'
import { openWorld, type World } from '../../test/forge-faults/world.ts'
import { atMost, type BenchContext, type Row } from '../report.ts'

/** The mint, and less than one other. */
const goal = 2
const repositories = 20
/** All deadlines, the audit's and the redeliveries' intervals among them, are this much shorter, and so is the run. */
const faster = 12
const endedWithinMs = 120_000
const runnersMax = 30

/**
 * Calls to the forge for each job while nothing goes wrong, counted at the forge: the whole program, twenty
 * repositories, jobs that come evenly for some of the audit's intervals, the last of which is whole.
 */
export async function callRows(context: BenchContext): Promise<Row[]> {
  const several = await measure(context, 'five jobs a run', 5)
  const one = await measure(context, 'one job a run', 1)
  return [several, one]
}

async function measure({ quick, say }: BenchContext, what: string, jobsARun: number): Promise<Row> {
  const jobs = quick ? 60 : 300
  const arriveMs = quick ? 12_000 : 75_000
  const world = await openWorld({ faster, runnersMax })
  try {
    await world.forge.order('POST', 'rate-limit', { limit: 100_000, remaining: 100_000 })
    // A first run in each repository: what is there from then on is the steady state.
    for (let n = 0; n < repositories; n += 1) await submit(world, n, 1)
    await untilEnded(world, repositories)
    const before = await world.forge.numbers()
    const began = performance.now()
    for (let n = 0; n < jobs / jobsARun; n += 1) {
      await pause(Math.max(0, began + (n * jobsARun * arriveMs) / jobs - performance.now()))
      await submit(world, n, jobsARun)
    }
    await untilEnded(world, repositories + jobs)
    await pause(Math.max(0, began + arriveMs - performance.now()))
    const spent = since(before, await world.forge.numbers())
    const hours = ((performance.now() - began) * faster) / 3_600_000
    say(`${what}: ${jobs} jobs, ${Math.round(jobs / hours)} an hour of time that runs ${faster} times faster`)
    for (const line of callLines(spent, jobs)) say(line)
    return atMost(`forge calls for each job, ${what}`, 'calls', sumOf(spent).spent, jobs, goal)
  } finally {
    await world.close(false)
  }
}

async function submit({ forge }: World, n: number, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, (_, index) => ({
    name: `job ${index}`,
    labels,
    script: scriptOf({ takesMs: 300, end: 'success' }),
  }))
  const repository = repositoryName(n % repositories)
  await forge.order('POST', 'runs', { repository, workflow: 'bench', jobs })
}

async function untilEnded({ ledger }: World, count: number): Promise<void> {
  const giveUpAt = performance.now() + endedWithinMs
  for (;;) {
    const { ended } = await ledger.counts()
    if (ended >= count) return
    if (performance.now() > giveUpAt) throw new Error(`only ${ended} of ${count} jobs ended`)
    await pause(100)
  }
}
