import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { rules } from '../src/domain/recovery/index.ts'
import { auditRules } from '../src/recovery/index.ts'
import { mutants, type Outcome, runHistory } from './world/index.ts'
import { keptSeeds } from './world/seeds.ts'

/**
 * `npm run test:sim`: many histories of the whole system in virtual time, then the mutants.
 *   --histories 2000   how many    --seed 1   the first seed    --only 4711   one seed, with its history
 */
const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
/** Decisions of reconcilers outside of the table. */
const loopRules = [
  ...auditRules,
  'start-given-up',
  'degraded-node',
  'orphaned-stamped-pod',
  'recovery-bound',
  'foreign-runner-reaped',
] as const
const historyLines = 150

if (values.only === undefined) process.exitCode = await runAll(Number(values.histories), Number(values.seed))
else process.exitCode = await runOne(Number(values.only))

async function runAll(count: number, first: number): Promise<number> {
  const seeds = [...keptSeeds, ...Array.from({ length: count }, (_, n) => first + n)]
  const outcomes = await runHistories(seeds)
  const failed = outcomes.filter((outcome) => outcome.violation !== null)
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0)
  console.log(
    `${outcomes.length} histories: ${sum((o) => o.events)} events, ${sum((o) => o.jobs)} jobs, ` +
      `${sum((o) => o.kills)} kills, ${sum((o) => o.requeues)} requeues, ${failed.length} violations`,
  )
  for (const outcome of failed.slice(0, 3)) report(outcome)
  const silent = silentRules(outcomes)
  const missed = await runMutants()
  const failures = failed.length + silent.length + missed
  const checks = outcomes.length + rules.length + loopRules.length + mutants.length
  console.log(`${checks - failures} passed, ${failures} failed`)
  return failures === 0 ? 0 : 1
}

/** A rule that no history reaches is a rule about which the simulation says nothing. */
function silentRules(outcomes: readonly Outcome[]): string[] {
  const names = [...loopRules, ...rules.map((rule) => rule.name)]
  const fired = (name: string) =>
    outcomes.reduce((total, { rules: counts }) => total + (counts[name] ?? 0), 0)
  for (const name of names) console.log(`  rule ${name.padEnd(24)} decided ${fired(name)} times`)
  const silent = names.filter((name) => fired(name) === 0)
  for (const name of silent) console.log(`FAILED: no history reached the rule ${name}`)
  return silent
}

async function runHistories(seeds: readonly number[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const began = performance.now()
  await inThreads<Outcome>(seeds, 'seeds', (outcome) => {
    outcomes.push(outcome)
    if (outcomes.length % 500 === 0)
      console.log(
        `  ${outcomes.length} of ${seeds.length} after ${Math.round((performance.now() - began) / 1000)} s`,
      )
  })
  return outcomes
}

interface Search {
  readonly name: string
  readonly found: string | null
}

async function runMutants(): Promise<number> {
  let missed = 0
  await inThreads<Search>([...mutants.keys()], 'places', ({ name, found }) => {
    if (found === null) missed += 1
    console.log(found === null ? `FAILED: not found: ${name}` : `  mutant found by ${found}: ${name}`)
  })
  return missed
}

/** Shares the work out to one thread for each processor. */
async function inThreads<T>(
  all: readonly number[],
  as: 'seeds' | 'places',
  onResult: (result: T) => void,
): Promise<void> {
  const threads = Math.max(1, Math.min(availableParallelism(), all.length))
  await Promise.all(
    Array.from({ length: threads }, (_, thread) =>
      inThread({ [as]: all.filter((_, n) => n % threads === thread) }, onResult),
    ),
  )
}

function inThread<T>(workerData: object, onResult: (result: T) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
    worker.on('message', onResult)
    worker.once('error', reject)
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a thread ended with ${code}`))))
  })
}

async function runOne(seed: number): Promise<number> {
  const outcome = await runHistory({ seed })
  console.log(outcome.history)
  console.log(outcome.violation === null ? 'no violation' : JSON.stringify(outcome.violation))
  return outcome.violation === null ? 0 : 1
}

function report({ seed, violation, history }: Outcome): void {
  console.log(`\nVIOLATION of ${violation?.invariant} at seed ${seed}: ${violation?.what}`)
  console.log(history.split('\n').slice(-historyLines).join('\n'))
  console.log(`Again: npm run test:sim -- --only ${seed}\n`)
}
