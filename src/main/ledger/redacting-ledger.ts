import { boundedJob } from '../../domain/job-event/index.ts'
import { type Redactor, redactRecord } from '../../domain/redact/index.ts'
import type { Ledger } from '../../ports/ledger.ts'

/** A ledger that stores no words of others which the redactor has not seen, whatever host, agent or forge they came from. */
export function redactingLedger<T extends Ledger>(ledger: T, redactor: Redactor): T {
  const sealDeath: Ledger['sealDeath'] = (runnerId, record, reason, cause) =>
    ledger.sealDeath(runnerId, redactRecord(record, redactor), reason, cause)
  const putHostSamples: Ledger['putHostSamples'] = (ring) =>
    ledger.putHostSamples(redactRecord(ring, redactor))
  // Of a runner whose pool was never known the record stands in a decision.
  const recordDecision: Ledger['recordDecision'] = (decision) =>
    ledger.recordDecision({ ...decision, facts: redactRecord(decision.facts, redactor) })
  const recordBounded: Ledger['recordBounded'] = (decision, act, bounds) =>
    ledger.recordBounded({ ...decision, facts: redactRecord(decision.facts, redactor) }, act, bounds)
  // People put anything into a job's name; by its repository and labels it is found again, so they are not masked.
  const applyJobEvent: Ledger['applyJobEvent'] = (event, cause, settles) => {
    const job = boundedJob({ ...event.job, name: redactor.text(event.job.name) })
    return ledger.applyJobEvent({ ...event, job }, cause, settles)
  }
  return { ...ledger, sealDeath, putHostSamples, recordDecision, recordBounded, applyJobEvent }
}
