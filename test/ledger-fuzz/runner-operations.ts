import type { Random } from '../../sim/world/random.ts'
import { aDeathRecord, anEnd, endedAt } from '../../src/domain/death/testing.ts'
import type { ClaimingRunner, Ledger } from '../../src/ports/ledger.ts'
import { type Knowledge, recent } from './knowledge.ts'
import { BrokenPromise, farMs, host, type Operation } from './operation.ts'

const lifecycle = { source: 'lifecycle' } as const
const poolNames = ['linux', 'big', 'small'] as const
/** So many of the newest are asked after: most of them live. */
const runnersOf = 25

/** Runners come, ask, are fenced and die. */
export const runnerOperations: readonly Operation[] = [
  {
    name: 'enrolled',
    weight: 5,
    async run(ledger, known, draw) {
      const pool = draw.pick(poolNames)
      const name = `${pool}-${draw
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0')}`
      const runner = { name, pool, host, identityHash: 'hash', bootDeadlineMs: farMs }
      const enrolled = await ledger.enrolAll([runner], lifecycle, null)
      const row = enrolled.kind === 'enrolled' ? enrolled.runners[0] : undefined
      if (row === undefined) return `${name} was left out`
      if (draw.chance(0.9)) await ledger.polled(row.id)
      known.runners.push(row)
      return `runner ${row.id} ${name}`
    },
  },
  {
    name: 'asks',
    weight: 4,
    async run(ledger, known, draw) {
      const runner = recent(known.runners, draw, runnersOf)
      if (runner === undefined) return 'nobody'
      const open = await ledger.openAttempt(runner.id)
      return `runner ${runner.id}: ${await ledger.polled(runner.id)}, attempt ${open?.attempt.id ?? 'none'}`
    },
  },
  {
    name: 'fenced',
    weight: 2,
    async run(ledger, known, draw) {
      const runner = recent(known.runners, draw, runnersOf)
      if (runner === undefined) return 'nobody'
      return `runner ${runner.id}: ${await ledger.fence(runner.id, 'scaled down', { source: 'scale' })}`
    },
  },
  {
    name: 'dies',
    weight: 3,
    run: (ledger, known, draw) => die(ledger, known, recent(known.runners, draw, runnersOf), draw),
  },
  {
    name: 'dies after its job',
    weight: 4,
    async run(ledger, known, draw) {
      const over = recent(
        known.events.filter(({ status }) => status === 'completed'),
        draw,
        runnersOf,
      )
      const runner = known.runners.find(({ name }) => over?.runnerName?.startsWith(name))
      return die(ledger, known, runner, draw)
    },
  },
  {
    name: 'deaths read',
    weight: 2,
    async run(ledger, known) {
      const after = known.deathsRead.at(-1) ?? 0
      const deaths = await ledger.deathsAfter(after, 50)
      // Another reader may have gone on meanwhile.
      if ((known.deathsRead.at(-1) ?? 0) === after) known.deathsRead.push(...deaths.map(({ id }) => id))
      return `${deaths.length} after ${after}`
    },
  },
]

/** The forge's times of the ends of jobs are after the first of these, and before the last; most deaths decide. */
const deathTimes = [endedAt, endedAt, endedAt + 365 * 24 * 60 * 60_000] as const

async function die(
  ledger: Ledger,
  known: Knowledge,
  runner: ClaimingRunner | undefined,
  draw: Random,
): Promise<string> {
  if (runner === undefined) return 'nobody'
  const record = aDeathRecord({
    class: draw.pick(['clean', 'crash', 'node-drained'] as const),
    ending: anEnd({ endedAt: draw.pick(deathTimes) }),
  })
  const outcome = await ledger.sealDeath(runner.id, record, 'it ended', lifecycle)
  if (outcome !== 'already') {
    const times = (known.sealed.get(runner.id) ?? 0) + 1
    known.sealed.set(runner.id, times)
    if (times > 1) throw new BrokenPromise(`I5: the death of runner ${runner.id} was sealed twice`)
  }
  return `runner ${runner.id}: ${outcome} as ${record.class}`
}
