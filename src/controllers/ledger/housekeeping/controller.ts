import { done, type Loop, type Outcome, requeueAfter } from '../../../loop/index.ts'
import type { HostSampleLedger, RetentionLedger, SetAside } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'

export interface HousekeepingDeps {
  readonly ledger: HostSampleLedger & RetentionLedger
  readonly log: Log
  readonly metrics: Metrics
  /** Ended jobs move to the archive after this. */
  readonly archiveAfterMs: number
  /** Archived jobs are dropped after this. */
  readonly keepMs: number
}

const resyncMs = 60_000
const batchSize = 200
/** Samples of pods that are not known as our runners: an hour of a busy cluster, some 50 MB. */
const strangersMax = 10_000
/** The pause between two batches, so that a backlog does not take the database away from dispatch. */
const pauseMs = 100

/**
 * Keeps the open tables small, so that a claim costs the same after a year as on the first day. Its steps do not wait
 * for each other: a failure is thrown after the other steps are done.
 */
export function housekeepingLoop(deps: HousekeepingDeps): Loop {
  const { ledger, archiveAfterMs, keepMs } = deps
  const logged = new Set<string>()

  async function pass(): Promise<Outcome> {
    const steps = [
      () => ledger.archive(archiveAfterMs, batchSize),
      () => ledger.purge(keepMs, batchSize),
      () => ledger.dropHostSamples({ olderThanMs: keepMs, strangersMax, limit: batchSize }),
      () => logSetAside(deps, logged),
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
    return most < batchSize ? done : requeueAfter(pauseMs)
  }

  return { name: 'housekeeping', resyncMs, wokenBy: () => false, pass }
}

/** A process logs each row once; the gauge has their number. */
async function logSetAside({ ledger, log, metrics }: HousekeepingDeps, logged: Set<string>): Promise<number> {
  const aside = await ledger.setAside()
  for (const kind of ['job', 'runner'] as const) {
    metrics.set('holdfast_archive_set_aside', { kind }, aside.filter((one) => one.kind === kind).length)
  }
  const nameOf = ({ kind, id }: SetAside) => `${kind} ${id}`
  for (const { kind, id, reason, tries } of aside.filter((one) => !logged.has(nameOf(one)))) {
    log.error(
      { kind, id, reason, tries },
      'this could not be archived; it is set aside and tried again later',
    )
  }
  logged.clear()
  for (const one of aside) logged.add(nameOf(one))
  return 0
}
