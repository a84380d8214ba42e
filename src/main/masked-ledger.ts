import { type Redactor, redactRecord } from '../domain/redact/index.ts'
import type { Ledger } from '../ports/ledger.ts'

/** A ledger that stores no evidence which the redactor has not seen, whatever the host or agent that read it did. */
export function maskedLedger<T extends Ledger>(ledger: T, redactor: Redactor): T {
  const sealDeath: Ledger['sealDeath'] = (runnerId, record, reason, cause) =>
    ledger.sealDeath(runnerId, redactRecord(record, redactor), reason, cause)
  const putRing: Ledger['putRing'] = (ring) => ledger.putRing(redactRecord(ring, redactor))
  // Of a runner whose pool was never known the record stands in a decision.
  const recordDecision: Ledger['recordDecision'] = (decision) =>
    ledger.recordDecision({ ...decision, facts: redactRecord(decision.facts, redactor) })
  return { ...ledger, sealDeath, putRing, recordDecision }
}
