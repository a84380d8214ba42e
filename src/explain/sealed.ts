import {
  type DeathRecord,
  deathClasses,
  type Ending,
  type PodEnd,
  type Verdict,
} from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'
import type { EvidenceRow } from '../ports/ledger.ts'

/** A death record as it was sealed, with every field that this version knows. */
export interface SealedDeath {
  readonly at: Instant
  readonly record: DeathRecord
}

/** The death among evidence; null where none is sealed. Records of earlier versions lack fields, which are filled. */
export function sealedDeath(evidence: readonly EvidenceRow[], runnerId: number): SealedDeath | null {
  const row = evidence.find((each) => each.kind === 'runner-death' && each.runnerId === runnerId)
  if (row === undefined) return null
  const given = row.record as Partial<DeathRecord>
  return {
    at: row.sealedAt,
    record: {
      outcome: given.outcome ?? 'incomplete',
      ...verdictOf(given),
      ending: given.ending ? endingOf(given.ending) : null,
      job: given.job ?? null,
      ring: given.ring ?? null,
      ...(given.silence !== undefined && { silence: given.silence }),
    },
  }
}

function verdictOf(given: Partial<DeathRecord>): Verdict {
  return {
    class: deathClasses.find((known) => known === given.class) ?? 'unknown',
    rule: given.rule ?? '',
    confidence: given.confidence ?? 'unknown',
    because: given.because ?? [],
    ruledOut: given.ruledOut ?? [],
    unknown: given.unknown ?? [],
    nextSteps: given.nextSteps ?? [],
  }
}

const emptyEnding: Omit<Ending, 'endedAt'> = {
  exitCode: null,
  signal: null,
  startedAt: null,
  tail: '',
  oomKills: null,
  memoryPeakBytes: null,
  memoryLimitBytes: null,
  samples: [],
  stopRequestedBy: null,
  pod: null,
  missing: [],
}

function endingOf(given: Partial<Ending>): Ending {
  const pod = given.pod ? podOf(given.pod) : null
  return { ...emptyEnding, endedAt: 0, ...given, pod }
}

const noLimits = { memoryBytes: null, cpuMillis: null, ephemeralStorageBytes: null }
const emptyContainer = {
  name: '',
  isInit: false,
  image: '',
  imageDigest: null,
  limits: noLimits,
  state: 'waiting' as const,
  reason: null,
  message: null,
  exitCode: null,
  signal: null,
  startedAt: null,
  finishedAt: null,
  restarts: 0,
  earlier: null,
  tail: '',
}

function podOf(given: Partial<PodEnd>): PodEnd {
  return {
    place: { namespace: '', pod: '', uid: '', node: null },
    phase: 'Unknown',
    reason: null,
    message: null,
    disruption: null,
    trouble: null,
    deletedAt: null,
    conditions: [],
    events: [],
    nodeAtEnd: null,
    ...given,
    containers: (given.containers ?? []).map((each) => ({ ...emptyContainer, ...each })),
  }
}
