import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate } from '../gate.ts'
import type { Remedy, VerifyFacts } from '../remedy.ts'
import { goneFromCluster, listenerRunning, noJobLost } from '../runner/results.ts'
import type { HandoffFacts } from './facts.ts'
import { rechecks } from './rechecks.ts'

const minuteMs = 60_000

const replacementStarted: Gate<VerifyFacts<HandoffFacts>> = {
  name: 'replacement-started',
  why: 'The slot was freed for this job. One that was cancelled meanwhile has no runner.',
  judge({ next: { job } }) {
    if (job === null) return fail('the forge knows it no more')
    // GitHub also names no runner by an empty name.
    const runner = job.runnerName || null
    const proof = `job ${job.jobId} is ${job.status}, on ${runner ?? 'no runner'}`
    return { passed: job.status !== 'queued' && runner !== null, proof }
  },
}

/** Removes the runner of a job that is over from a lane with one slot, for which the next job waits. */
export const handoff: Remedy<HandoffFacts> = {
  name: 'handoff',
  bounds: {
    objectsPerRunMax: 5,
    objectsPerHourMax: 10,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // ARC asks the forge every 30 s, then makes a runner, which pulls its image and registers.
    verifyMaxMs: 5 * minuteMs,
    proveMaxMs: 2 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications: [goneFromCluster, noJobLost, replacementStarted],
  proofs: [listenerRunning],
}
