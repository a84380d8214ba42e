import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { ProveFacts, Remedy, VerifyFacts } from '../remedy.ts'
import type { RetryProofFacts } from './facts.ts'
import { rechecks } from './rechecks.ts'

const minuteMs = 60_000

const attemptBegun: Gate<VerifyFacts<RetryProofFacts>> = {
  name: 'attempt-begun',
  why: 'The forge makes a new attempt of the run, on the same commit.',
  judge({ jobs, planned: { jobName, attempt, headSha } }) {
    const next = jobs.find(({ name, runAttempt }) => name === jobName && runAttempt === attempt + 1)
    if (next === undefined) return fail(`there is no attempt ${attempt + 1} of it yet`)
    return {
      passed: next.headSha === headSha,
      proof: `attempt ${attempt + 1} is job ${next.jobId}, ${next.status}, on ${next.headSha ?? 'an unknown commit'}`,
    }
  },
}

const passedOnSameCommit: Gate<ProveFacts<RetryProofFacts>> = {
  name: 'passed-on-same-commit',
  why: 'A pass on the same commit is the result; two failures belong together, and to a person.',
  judge({ comparison }) {
    if (comparison === null) return fail('there is only one attempt')
    const { attempts, outcome, sentence } = comparison
    const shown = attempts.map(
      ({ number, job }) =>
        `attempt ${number} (job ${job.jobId}): ${job.conclusion ?? job.status} on ${job.runnerName || 'no runner'}`,
    )
    const proof = [...shown, sentence].join('; ')
    return outcome === 'passed-on-same-commit' ? pass(proof) : fail(proof)
  },
}

/** Runs a declared platform proof again, once, that ended by signal 9 at the edge of its memory. */
export const retryProof: Remedy<RetryProofFacts> = {
  name: 'retry-proof',
  bounds: {
    objectsPerRunMax: 1,
    objectsPerHourMax: 5,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    verifyMaxMs: 2 * minuteMs,
    // The reading itself waits for the end of the attempt, as long as the plan says.
    proveMaxMs: 0,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications: [attemptBegun],
  proofs: [passedOnSameCommit],
}
