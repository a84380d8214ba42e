import { isOpenAttempt } from '../../src/domain/attempt/index.ts'
import { isOpen } from '../../src/domain/job/index.ts'
import { isLive } from '../../src/domain/runner/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { History } from './history.ts'
import type { MemoryLedger, RowName } from './ledger/index.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

export interface NewerVersionDeps {
  readonly ledger: MemoryLedger
  readonly random: Random
  readonly scheduler: Scheduler
  readonly history: History
}

/** How often it writes a row, and how long that stays as it wrote it: from a moment to longer than most jobs take. */
const everyMs = { from: 5_000, to: 60_000 } as const
const lastsMs = { from: 1_000, to: 6 * 60_000 } as const

/** A newer version works on the same ledger: now and then it writes a row that this one cannot read for a while. */
export function startNewerVersion(deps: NewerVersionDeps, until: Instant): void {
  const { ledger, random, scheduler, history } = deps
  scheduler.after(random.between(everyMs.from, everyMs.to), () => {
    const left = until - scheduler.now()
    if (left <= lastsMs.from) return
    const of = pickOpen(ledger, random)
    if (of !== null) {
      const undo = ledger.makeUnreadable(of)
      history.note('newer version', `writes ${of.kind} ${of.id}`)
      scheduler.after(random.between(lastsMs.from, Math.min(left, lastsMs.to)), () => {
        undo()
        history.note('newer version', `leaves ${of.kind} ${of.id}`)
      })
    }
    startNewerVersion(deps, until)
  })
}

/** Something that is not over. */
function pickOpen({ rows }: MemoryLedger, random: Random): RowName | null {
  const open: RowName[] = [
    ...[...rows.jobs.values()].filter(isOpen).map(({ id }) => ({ kind: 'job', id }) as const),
    ...[...rows.attempts.values()].filter(isOpenAttempt).map(({ id }) => ({ kind: 'attempt', id }) as const),
    ...[...rows.runners.values()].filter(isLive).map(({ id }) => ({ kind: 'runner', id }) as const),
  ]
  return open.length === 0 ? null : random.pick(open)
}
