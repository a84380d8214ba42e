import { type BackOff, backOffMs } from '../domain/back-off/index.ts'
import { HoldfastError, isError } from '../domain/errors/index.ts'
import { type IncidentKind, incidentTable } from '../domain/incident/index.ts'
import { reasonOf } from '../domain/reason.ts'
import type { Subject } from '../domain/recovery/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { IncidentLedger, RecoveryLedger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'

export interface SubjectName {
  readonly kind: Subject['kind']
  readonly id: number
}

export interface FailedLooksDeps {
  readonly ledger: RecoveryLedger & IncidentLedger
  readonly installation: string
  readonly clock: Pick<Clock, 'now'>
  readonly entropy: Pick<Entropy, 'fraction'>
  readonly metrics: Metrics
  readonly log: Log
}

/** Isolates the failures of each subject: a look that throws does not stop the look at another. */
export interface FailedLooks {
  /**
   * Looks at one subject. A subject whose look fails, whatever the error, is postponed with back-off; a look that is only
   * under way proves nothing yet. Returns the error only where the subject could not be postponed either, because then the
   * ledger fails, and where the program ends.
   */
  guard(of: SubjectName, look: () => Promise<'looked' | 'under-way'>, signal: AbortSignal): Promise<unknown>
  /** Called after a pass: when no look fails any more, the incident is closed. */
  passed(): Promise<void>
}

const lookBackOff: BackOff = { baseMs: 5_000, capMs: 10 * 60_000 }
/** A subject that did not fail again for this long has ended, or has recovered. */
const forgottenMs = 2 * lookBackOff.capMs
/** An outage ends by itself: an incident is opened only when it lasts for one subject (some 5 min). */
const retryableFailuresMax = 6
/** Bounds the subjects that are remembered (I10); others start with the shortest back-off again. */
const rememberedMax = 10_000
const incident: IncidentKind = 'look-failed'

export function createFailedLooks(deps: FailedLooksDeps): FailedLooks {
  const { ledger, installation, clock, entropy, metrics, log } = deps
  const failures = new Map<string, { readonly times: number; readonly at: Instant }>()
  /** When the incident may be closed; null: none is open. At the start one of an earlier process may be. */
  let overFrom: Instant | null = clock.now() + forgottenMs

  async function failed(of: SubjectName, error: unknown): Promise<void> {
    const key = `${of.kind} ${of.id}`
    const times = (failures.get(key)?.times ?? 0) + 1
    if (failures.size >= rememberedMax) failures.clear()
    failures.set(key, { times, at: clock.now() })
    const retryInMs = Math.round(backOffMs(lookBackOff, times, entropy.fraction()))
    metrics.count('holdfast_looks_failed_total', { subject: of.kind })
    log.warn({ ...of, failures: times, retryInMs, err: error }, 'a look failed; the subject is postponed')
    await ledger.postpone(of, retryInMs)
    if (isForPeople(error, times)) await raise(key, error)
  }

  async function raise(key: string, error: unknown): Promise<void> {
    const reason = `${key}: ${reasonOf(error)}`
    overFrom = clock.now()
    const scope = 'installation'
    const raised = await ledger.raiseIncident(
      { kind: incident, installation, scope, key: installation, reason },
      0,
    )
    if (raised !== 'opened') return
    const { title, todo } = incidentTable[incident]
    metrics.count('holdfast_incidents_total', { kind: incident })
    log.error({ subject: key, incident, title, todo, err: error }, 'recovery cannot look at a subject')
  }

  return {
    async guard(of, look, signal) {
      try {
        if ((await look()) === 'looked') failures.delete(`${of.kind} ${of.id}`)
        return undefined
      } catch (error) {
        if (signal.aborted) return error
        return await failed(of, error).then(
          () => undefined,
          (again: unknown) => again,
        )
      }
    },
    async passed() {
      const now = clock.now()
      for (const [key, { at }] of failures) if (now - at > forgottenMs) failures.delete(key)
      if (overFrom === null || failures.size > 0 || now < overFrom) return
      await ledger.liftIncident({ kind: incident, installation, scope: 'installation', key: installation })
      overFrom = null
    },
  }
}

function isForPeople(error: unknown, failures: number): boolean {
  const isRetryable = error instanceof HoldfastError && error.entry.retryable
  return !isRetryable || (failures >= retryableFailuresMax && !isError(error, 'E_LEDGER_UNAVAILABLE'))
}
