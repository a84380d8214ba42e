import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createRandom, type Random } from '../../sim/world/random.ts'
import { type Comparison, compare } from './compare.ts'
import { sumOf } from './forge/numbers.ts'
import { afterwards, type Submitted } from './people.ts'
import { callLines, tallyLine } from './report.ts'
import { aheadMs, scheduleOf, type Trouble, troublesOf } from './troubles.ts'
import { createWorkload, type Workload } from './workload.ts'
import { openWorld, type World } from './world.ts'

/*
 * `npm run test:forge-faults`: jobs through the real HTTP stack while messages are lost, repeated and late, calls
 * fail, hang and lose their answers, the budget runs out and the forge is away. At the end no job is lost, none ran
 * twice, and the ledger equals the forge's truth.   --jobs 2000   --seed 1   --seconds 170   --keep
 */
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '170' },
    keep: { type: 'boolean', default: false },
  },
})
const repositories = 20
const runnersMax = 40
/** Outside, this run takes so many times longer: 5 minutes here are an hour of the forge's budget. */
const faster = 12
const minuteMs = 60_000 / faster
/** Jobs that a person cancels, wherever they are. */
const cancelledShare = 0.01
/** Some hundred lost messages are asked for again, 50 at a time; a busy machine takes up to 45 s for each 50. */
const settledWithinMs = 400_000
/** Runs that wait for their turn in a group come one after the other: nothing new came for so many looks. */
const calmLooks = 5
const lookEveryMs = 1_000
const looksALine = 10
const shownMax = 20
const logLines = 30

const seed = Number(values.seed)
const arriveMs = Number(values.seconds) * 1_000
const random = createRandom(seed)
const workload = createWorkload(Number(values.jobs), repositories, random.fork('workload'))
const began = performance.now()
const elapsedMs = () => performance.now() - began
const budgetLows: number[] = []
let failures: string[] = []
let jobsUnseen = 0
let jobsSeen = 0

console.log(
  `seed ${seed}: ${workload.jobs} jobs in ${workload.runs.length} runs over ${repositories} repositories; ` +
    `time runs ${faster} times faster (a minute is ${minuteMs / 1_000} s)`,
)
const world = await openWorld({ faster, runnersMax })
try {
  const progress = startProgress(world, workload)
  await world.forge.order('POST', 'faults', scheduleOf(seed))
  await Promise.all([arrive(world, workload, random.fork('cancel')), befall(world)])
  const { violations, waiting, unseen } = await settled(world)
  jobsUnseen = unseen
  await progress.stop()
  failures = [...violations, ...waiting.map((what) => `not right after ${settledWithinMs} ms: ${what}`)]
  await report(world)
} catch (error) {
  failures.push(`the run itself failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
} finally {
  const isKept = values.keep || failures.length > 0
  if (failures.length > 0) await showLog(world)
  failures.push(...(await world.close(isKept)))
  if (isKept) console.log(`data and logs are kept in ${world.folder}`)
}
for (const what of failures.slice(0, shownMax)) console.log(`VIOLATION: ${what}`)
if (failures.length > shownMax) console.log(`… and ${failures.length - shownMax} more`)
const failed = failures.length
console.log(`${Math.max(0, jobsSeen - failed)} passed, ${failed} failed`)
process.exitCode = failures.length === 0 ? 0 : 1

/** Runs come evenly; some of their jobs are cancelled a moment later, some runs deleted, and people decide. */
async function arrive({ forge }: World, { runs }: Workload, chance: Random): Promise<void> {
  const startedAt = elapsedMs()
  const underWay: Promise<void>[] = []
  for (const [n, run] of runs.entries()) {
    await pause(Math.max(0, startedAt + (n * arriveMs) / runs.length - elapsedMs()))
    const { run_id: runId, job_ids: jobIds } = await forge.order<Submitted>('POST', 'runs', run)
    underWay.push(...afterwards(forge, run, runId, chance))
    const [first] = jobIds
    if (first === undefined || !chance.chance(cancelledShare)) continue
    setTimeout(
      () => {
        forge.order('POST', `jobs/${first}/cancel`).catch(() => {}) // it may be over already
      },
      chance.between(0, 3_000),
    )
  }
  await Promise.all(underWay)
}

async function befall({ forge }: World): Promise<void> {
  const startedAt = elapsedMs()
  const meet = async ({ name, at, lastsMs, begin, end }: Trouble) => {
    await pause(Math.max(0, startedAt + at * arriveMs - elapsedMs()))
    say(name)
    await begin(forge)
    await pause(lastsMs)
    await end?.(forge)
    if (lastsMs > 0) say(`over: ${name}`)
  }
  await Promise.all(troublesOf(seed, minuteMs).map(meet))
}

/** Looks until both sides agree on everything, or for as long as that may take. */
async function settled({ forge, ledger }: World): Promise<Comparison> {
  say('all jobs have arrived; waiting until the ledger equals the truth')
  const giveUpAt = elapsedMs() + settledWithinMs
  let looksSinceNews = 0
  for (;;) {
    const [truth, forgeJobs, rows] = [await forge.truth(), await forge.jobs(), await ledger.jobs()]
    const found = compare({ truth, forgeJobs, ledger: rows, aheadMs })
    const { openAttempts } = await ledger.counts()
    const missing = workload.jobs - truth.jobs.length
    looksSinceNews = truth.jobs.length === jobsSeen ? looksSinceNews + 1 : 0
    jobsSeen = truth.jobs.length
    const waiting = [
      ...found.waiting,
      ...(missing > 0 ? [`${missing} jobs are not there yet at the forge`] : []),
      ...(looksSinceNews < calmLooks ? ['jobs still come'] : []),
      ...(openAttempts > 0 ? [`${openAttempts} attempts are open`] : []),
    ]
    if (waiting.length === 0 || elapsedMs() > giveUpAt) return { ...found, waiting }
    await pause(lookEveryMs)
  }
}

/** A line every few seconds; and the lowest that the budget was since the last one. */
function startProgress({ forge, ledger, holdfast }: World, { jobs }: Workload): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const watch = async () => {
    let least = Number.POSITIVE_INFINITY
    for (let looks = 1; !stopped.signal.aborted; looks += 1) {
      await pause(lookEveryMs, undefined, { signal: stopped.signal }).catch(() => {})
      least = Math.min(least, await forge.budgetLeft())
      if (looks % looksALine !== 0) continue
      const [counts, numbers] = [await ledger.counts(), await forge.numbers()]
      say(
        `${counts.ended} of ${jobs} jobs ended, ${counts.jobs - counts.ended} open, ${counts.openAttempts} attempts; ` +
          `${sumOf(numbers).spent} calls, ${least} left${holdfast.alive() ? '' : '; HOLDFAST IS DEAD'}`,
      )
      budgetLows.push(least)
      least = Number.POSITIVE_INFINITY
    }
  }
  const watching = watch().catch((error: unknown) => say(`the watch failed: ${error}`))
  return {
    stop() {
      stopped.abort()
      return watching
    },
  }
}

async function report({ forge, ledger }: World): Promise<void> {
  const [numbers, tallies, truth] = [await forge.numbers(), await ledger.tallies(), await forge.truth()]
  const requeues = [...(await ledger.jobs()).values()].reduce((sum, row) => sum + row.requeues, 0)
  const lost = truth.jobs.filter(({ ends }) => ends.at(-1)?.cause === 'lost-communication').length
  const redelivered = Object.entries(numbers.calls)
    .filter(([call]) => call.startsWith('POST') && call.endsWith('/attempts'))
    .reduce((sum, [, { begun }]) => sum + begun, 0)
  console.log(`\n${jobsSeen} jobs in ${Math.round(elapsedMs() / 1_000)} s, seed ${seed}`)
  for (const line of callLines(numbers, jobsSeen)) console.log(line)
  console.log(`over before anybody ran them, and never seen here: ${jobsUnseen}`)
  console.log(
    `redeliveries asked for: ${redelivered}; requeues: ${requeues}; runners lost with their job: ${lost}`,
  )
  console.log(
    `budget left, the least in every ${(looksALine * lookEveryMs) / 1_000} s: ${budgetLows.join(' ')}`,
  )
  console.log(tallyLine('deliveries', tallies.deliveries))
  console.log(tallyLine('decisions of recovery', tallies.decisions))
  console.log(tallyLine("runners' ends", tallies.deaths))
}

async function showLog({ folder }: World): Promise<void> {
  const log = await readFile(path.join(folder, 'holdfast.log'), 'utf8').catch(() => '')
  console.log(log.split('\n').slice(-logLines).join('\n'))
}

function say(line: string): void {
  console.log(`${String(Math.round(elapsedMs() / 1_000)).padStart(4)} s  ${line}`)
}
