import { again, done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Ledger, SetAside } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'

export interface HousekeepingDeps {
  readonly ledger: Ledger
  readonly log: Log
  readonly metrics: Metrics
  /** Ended jobs move to the archive after this. */
  readonly archiveAfterMs: number
  /** Archived jobs are dropped after this. */
  readonly keepMs: number
}

const sweepMs = 60_000
const batchSize = 200
/** Rings of pods that are no runners of ours, or not yet known to be: an hour of a busy cluster's, some 50 MB. */
const strangersMax = 10_000
/** Between two batches, so that a backlog does not take the database away from dispatch. */
const pauseMs = 100

/**
 * Keeps the open tables small, so that a claim costs the same after a year as on the first day. Its steps do not wait
 * for each other: one that fails is told of after the others were done.
 */
export function housekeepingLoop(deps: HousekeepingDeps): Loop {
  const { ledger, archiveAfterMs, keepMs } = deps
  const said = new Set<string>()

  async function pass(): Promise<Outcome> {
    const steps = [
      () => ledger.archive(archiveAfterMs, batchSize),
      () => ledger.purge(keepMs, batchSize),
      () => ledger.dropRings({ olderThanMs: keepMs, strangersMax, limit: batchSize }),
      () => saySetAside(deps, said),
    ]
    const failures: unknown[] = []
    let most = 0
    for (const step of steps) {
      try {
        most = Math.max(most, await step())
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return most < batchSize ? done : again(pauseMs)
  }

  return { name: 'housekeeping', sweepMs, wokenBy: () => false, pass }
}

/** Each is said once by a process; the gauge says how many there are. */
async function saySetAside({ ledger, log, metrics }: HousekeepingDeps, said: Set<string>): Promise<number> {
  const aside = await ledger.setAside()
  for (const kind of ['job', 'runner'] as const) {
    metrics.set('holdfast_archive_set_aside', { kind }, aside.filter((one) => one.kind === kind).length)
  }
  const nameOf = ({ kind, id }: SetAside) => `${kind} ${id}`
  for (const { kind, id, reason, tries } of aside.filter((one) => !said.has(nameOf(one)))) {
    log.error(
      { kind, id, reason, tries },
      'this could not be archived; it is set aside and tried again later',
    )
  }
  said.clear()
  for (const one of aside) said.add(nameOf(one))
  return 0
}
