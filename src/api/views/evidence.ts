import { type DeathRecord, deathClasses } from '../../domain/death/index.ts'
import type { EvidenceRow } from '../../ports/ledger.ts'
import type { ApiDeath, ApiEvidence } from '../contracts/job-file.ts'
import { deathText } from '../text/index.ts'
import { safeFacts, safeText } from './safe.ts'
import { iso } from './time.ts'

/** A sealed record in the terms of the API. */
export function evidence(row: EvidenceRow): ApiEvidence {
  return {
    id: row.id,
    kind: row.kind,
    runnerId: row.runnerId,
    sealedAt: iso(row.sealedAt),
    record: safeRecord(row),
    sentence: sentenceOf(row),
  }
}

/** The death record of a row; null where the row is another kind of evidence. */
export function deathOf(row: EvidenceRow): ApiDeath | null {
  if (row.kind !== 'runner-death') return null
  const record = row.record as Partial<DeathRecord>
  const known = deathClasses.find((name) => name === record.class)
  return {
    class: known ?? 'unknown',
    confidence: record.confidence ?? 'unknown',
    because: (record.because ?? []).map((line) => safeText(String(line))),
    exitCode: record.ending?.exitCode ?? null,
    signal: record.ending?.signal ?? null,
    oomKills: record.ending?.oomKills ?? null,
  }
}

/** Samples are numbers alone, and too many for the bound that facts have. */
function safeRecord({ kind, record }: EvidenceRow): ApiEvidence['record'] {
  const { ending, ...verdict } = record as Partial<DeathRecord>
  if (kind !== 'runner-death' || !ending) return safeFacts(record)
  const { samples, ...rest } = ending
  return { ...safeFacts(verdict), ending: { ...safeFacts(rest), samples } }
}

function sentenceOf(row: EvidenceRow): string {
  const death = deathOf(row)
  if (death !== null) {
    const text = deathText(death)
    return `A runner's death record: ${text}`
  }
  const { status, conclusion, runnerName } = row.record
  if (row.kind === 'forge-word') {
    const on = typeof runnerName === 'string' ? ` on ${runnerName}` : ''
    const how = typeof conclusion === 'string' ? ` (${conclusion})` : ''
    return `The forge's word: the job is ${String(status)}${how}${on}.`
  }
  return 'The configuration was delivered, and no runner registered with it in time.'
}
