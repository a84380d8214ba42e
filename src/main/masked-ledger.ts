import { type Redactor, redactRecord } from '../domain/redact/index.ts'
import type { Ledger } from '../ports/ledger.ts'

/** A ledger that stores no death record which the redactor has not seen, whatever the host that read it did. */
export function maskedLedger<T extends Ledger>(ledger: T, redactor: Redactor): T {
  const sealDeath: Ledger['sealDeath'] = (runnerId, record, reason, cause) =>
    ledger.sealDeath(runnerId, redactRecord(record, redactor), reason, cause)
  return { ...ledger, sealDeath }
}
