import { z } from 'zod'
import { attemptStates, cancelAnswers, type PastDeadline } from '../../../../domain/attempt/index.ts'
import type { HostSamples } from '../../../../domain/death/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { jobStates } from '../../../../domain/job/index.ts'
import type { Pool } from '../../../../domain/pool/index.ts'
import { runnerStates } from '../../../../domain/runner/index.ts'
import type { DecisionRow, JobFile, RunnerFile } from '../../../../ports/ledger.ts'

/** Where a value stands, for the error that names it. */
export interface Cell {
  readonly table: string
  readonly id: number | string
  readonly column: string
}

const gotCharsMax = 100

// A schema asks for what every version has written: parts that came later are optional in an older row. It keeps the
// parts that it does not name, so that what a newer version wrote is shown and not lost.

const facts = z.record(z.string(), z.unknown())
const decisions = z.array(z.looseObject({ id: z.number(), at: z.number(), rule: z.string(), facts }))
const timeline = z.array(z.looseObject({ id: z.number(), at: z.number(), kind: z.string(), facts }))

const pool = z.looseObject({
  name: z.string(),
  labels: z.array(z.string()),
  minWarm: z.number(),
  maxRunners: z.number(),
  fairness: z.looseObject({ weights: z.record(z.string(), z.number()) }),
  priorities: z.array(z.looseObject({ repository: z.string() })),
})

const pastDeadline = z.looseObject({
  at: z.number(),
  limitMs: z.number(),
  ranMs: z.number(),
  cancel: z.enum(cancelAnswers).nullable(),
})

const hostSamples = z.looseObject({
  podUid: z.string(),
  node: z.string(),
  samples: z.array(z.looseObject({ at: z.number() })),
  oomLines: z.array(z.looseObject({ at: z.number(), line: z.string() })),
  endedAt: z.number().nullable(),
  lastSampleAgeMs: z.number().nullable(),
  missing: z.array(z.string()),
})

const job = z.looseObject({ id: z.number(), state: z.enum(jobStates), repository: z.string() })

const jobFile = z.looseObject({
  job,
  attempts: z.array(z.looseObject({ id: z.number(), state: z.enum(attemptStates) })),
  timeline,
  decisions,
  evidence: z.array(z.looseObject({ id: z.number(), kind: z.string(), record: facts })),
})

const runnerFile = z.looseObject({
  runner: z.looseObject({ id: z.number(), name: z.string(), state: z.enum(runnerStates) }),
  timeline,
  decisions,
})

/** Readers of the ledger's jsonb columns. A value of another shape is `E_LEDGER_ROW`, naming its cell. */
export const storedJson = {
  facts: reader<Readonly<Record<string, unknown>>>(facts),
  actions: reader<DecisionRow['actions']>(z.array(facts)),
  decisions: reader<readonly DecisionRow[]>(decisions),
  pool: reader<Pool>(pool),
  pastDeadline: reader<PastDeadline>(pastDeadline),
  hostSamples: reader<HostSamples>(hostSamples),
  job: reader<JobFile['job']>(job),
  jobFile: reader<JobFile>(jobFile),
  runnerFile: reader<Pick<RunnerFile, 'runner' | 'timeline' | 'decisions'>>(runnerFile),
}

function reader<T>(schema: z.ZodType): (value: unknown, cell: Cell) => T {
  return (value, cell) => {
    const { error } = schema.safeParse(value)
    if (error === undefined) return value as T // the value itself, not a copy: a file is kilobytes
    const [issue] = error.issues
    throw new HoldfastError('E_LEDGER_ROW', {
      ...cell,
      got: (JSON.stringify(value) ?? 'nothing').slice(0, gotCharsMax),
      expected: [`${issue?.path.join('.') || cell.column}: ${issue?.message}`],
    })
  }
}
