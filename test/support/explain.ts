import { expect } from 'vitest'
import { explanationSchema } from '../../src/api/index.ts'
import type { DeathRecord, HostSample, HostSamples } from '../../src/domain/death/index.ts'
import { aPodEnd, aRunnerEnd } from '../../src/domain/death/testing.ts'
import type { AttemptComparison } from '../../src/domain/run-attempt/index.ts'
import type { FoundSubject } from '../../src/explain/find.ts'
import { explainFromLedger } from '../../src/explain/from-ledger.ts'
import type { JobAtForge } from '../../src/explain/job-at-forge.ts'
import type { EvidenceRow, JobFile, RunnerFile, TimelineRow } from '../../src/ports/ledger.ts'
import { aJob, anAttempt, anEnding, aRunner, now } from './rows.ts'

export const second = 1_000

/** For tests: a row of the ledger's timeline. */
export function row(over: Partial<TimelineRow> & Pick<TimelineRow, 'id' | 'kind' | 'subject'>): TimelineRow {
  return {
    at: now,
    subjectId: 1,
    jobId: 1,
    source: 'lifecycle',
    rule: null,
    facts: {},
    ...over,
  }
}

/** For tests: a sealed record as the ledger has it. */
export function death(record: Partial<DeathRecord>, over: Partial<EvidenceRow> = {}): EvidenceRow {
  return { id: 7, kind: 'runner-death', runnerId: 1, sealedAt: now, record: { ...record }, ...over }
}

/** For tests: an attempt whose runner died while it ran. */
export const attempt = anAttempt({
  state: 'ended',
  endReason: 'finished',
  endedAt: now,
  startedAt: now - 3 * second,
})
const lostJob = aJob({
  state: 'lost',
  conclusion: 'failure',
  executor: attempt.forgeRunnerName,
  endedAt: now,
  forgeQueuedAt: now - 9 * second,
  forgeStartedAt: now - 3 * second,
  forgeCompletedAt: now,
})

/** For tests: the ledger's rows of job 1 and its one runner, with this evidence. */
export function found(
  evidence: readonly EvidenceRow[],
  over: { job?: Partial<JobFile>; runner?: Partial<RunnerFile> } = {},
): FoundSubject {
  const runner = aRunner({ state: 'ended', endedAt: now, evidenceId: 7 })
  return {
    kind: 'job',
    job: {
      job: lostJob,
      attempts: [attempt],
      timeline: [],
      decisions: [],
      evidence,
      archived: false,
      ...over.job,
    },
    runner: {
      runner,
      attempts: [{ attempt, job: lostJob }],
      timeline: [],
      decisions: [],
      evidence,
      ...over.runner,
    },
  }
}

/** For tests: the explanation a minute later, checked against the API's schema. */
export function explained(
  given: FoundSubject,
  ring: HostSamples | null = null,
  atForge: JobAtForge | null = null,
  attempts: AttemptComparison | null = null,
) {
  const result = explainFromLedger({ ...given, asked: '1', now: now + 60 * second, ring, atForge, attempts })
  expect(explanationSchema.parse(result)).toEqual(result) // what the server gives is what the contract says
  return result
}

/** For tests: the end of a pod at its memory limit, with all around it. */
export const podEnding = anEnding({
  exitCode: 137,
  startedAt: now - 5 * second,
  endedAt: now - second,
  memoryLimitBytes: 2 ** 30,
  tail: 'last\n',
  oomKills: null,
  pod: aPodEnd({
    deletedAt: null,
    conditions: [
      { type: 'PodScheduled', status: 'True', reason: null, message: null, at: now - 8 * second },
      { type: 'Ready', status: 'False', reason: 'PodFailed', message: null, at: now - second },
    ],
    events: [
      {
        type: 'Warning',
        reason: 'BackOff',
        message: 'Back-off pulling',
        count: 3,
        firstAt: now - 8 * second,
        lastAt: now - 6 * second,
      },
    ],
    nodeAtEnd: {
      isGone: false,
      isCordoned: false,
      conditions: [
        { type: 'Ready', status: 'True', reason: null, message: null, at: now - 900 * second },
        { type: 'MemoryPressure', status: 'True', reason: 'x', message: 'low', at: now - 2 * second },
      ],
      taints: [],
    },
    containers: [
      aRunnerEnd({
        exitCode: 137,
        reason: 'OOMKilled',
        startedAt: now - 5 * second,
        finishedAt: now - second,
      }),
    ],
  }),
})

const sample: HostSample = {
  at: now - 2 * second,
  memoryBytes: 2 ** 30,
  memoryLimitBytes: 2 ** 30,
  oomKills: 1,
  cpuMs: 10,
  throttledMs: 0,
  processes: 12,
  memoryPressure: 63,
  cpuPressure: 1,
  ioPressure: 0,
  nodeMemoryFreeBytes: 2 ** 33,
  nodeFilesOpen: 10,
  nodeFilesMax: 1000,
  nodeDiskFreeBytes: 2 ** 35,
  nodeInodesFree: 1000,
  nodeConntrack: null,
  nodeConntrackMax: null,
}
/** For tests: what the agent saw of the same pod. */
export const ring: HostSamples = {
  podUid: 'uid-1',
  node: 'node-1',
  samples: [sample],
  endedAt: now - second,
  lastSampleAgeMs: 400,
  oomLines: [{ at: now - 1_500, line: 'Memory cgroup out of memory: Killed process 4711 (node)' }],
  missing: ['conntrack'],
}
