import { reasonOf } from '../../domain/reason.ts'
import {
  type GateResult,
  judgeDeclared,
  judgeTransient,
  masked,
  type ProofReading,
  type Remedy,
  type RetryProofFacts,
  type RetryProofScope,
} from '../../domain/remedy/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { type ProofSources, readProof, retryProofTreatment } from './retry-proof-treatment.ts'

type Target = RetryProofFacts['plan']['objects'][number]

/** Looks at one job, and plans its one retry. */
export async function planRetryProof(
  remedy: Remedy<RetryProofFacts>,
  scope: RetryProofScope,
  deps: RemedyDeps & ProofSources,
  signal: AbortSignal,
): Promise<Planned<RetryProofFacts>> {
  const began = deps.clock.now()
  const { target, gates } = await look(scope, deps, signal)
  const objects = target === null ? [] : [target]
  const candidates = { began, scope, gates, objects, skipped: [] }
  return planRemedy(retryProofTreatment(remedy, deps), candidates, deps, signal)
}

interface Look {
  readonly target: Target | null
  readonly gates: readonly GateResult[]
}

/** The job as a target; a reason for which a person must look first stands in the plan as a gate that failed. */
async function look(
  scope: RetryProofScope,
  deps: RemedyDeps & ProofSources,
  signal: AbortSignal,
): Promise<Look> {
  const refused = (gate: string, proof: string): Look => ({
    target: null,
    gates: [{ gate, passed: false, proof: masked(proof) }],
  })
  let reading: ProofReading
  try {
    reading = await readProof(scope, deps, signal)
  } catch (error) {
    signal.throwIfAborted()
    return refused('job-known', `not read: ${reasonOf(error)}`)
  }
  const declared = judgeDeclared(reading.job, scope)
  if (!declared.passed) return refused('declared-proof', declared.proof)
  const transient = judgeTransient(reading)
  if (!transient.passed) return refused('transient-signal-9', transient.proof)
  const target = targetOf(reading)
  return target === null
    ? refused('job-known', 'the forge does not say which attempt of which commit it is')
    : { target, gates: [] }
}

function targetOf({ job }: ProofReading): Target | null {
  if (job === null || job.runAttempt === null || job.headSha === null) return null
  const { repository, jobId, runId, name, runAttempt, headSha } = job
  return {
    kind: 'Job',
    namespace: repository,
    name: String(jobId),
    uid: `job-${jobId}`,
    resourceVersion: `attempt-${runAttempt}`,
    repository,
    jobId,
    runId,
    jobName: name,
    attempt: runAttempt,
    headSha,
    why: masked(
      `attempt ${runAttempt} of "${name}" on ${headSha.slice(0, 7)} ended by signal 9, at the edge of its memory`,
    ),
    evidence: [],
  }
}
