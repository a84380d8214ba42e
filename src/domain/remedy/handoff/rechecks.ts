import { durationText } from '../../format.ts'
import { fail, type Gate, pass, type Verdict } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import { finalizerOfArc, judgeContainer, notBusyAtForge, runnerOf, sameObject } from '../runner/rechecks.ts'
import type { HandoffFacts } from './facts.ts'
import { holdersOf, reasonToStay, serves } from './select.ts'

type Facts = RecheckFacts<HandoffFacts>

const stillHolding: Gate<Facts> = {
  name: 'still-holding',
  why: 'A runner that goes by itself, or that has just come, keeps nothing from the next job.',
  judge(facts) {
    const runner = runnerOf(facts)
    if (runner === null) return fail('there is no such object any more')
    const reason = reasonToStay(runner, facts.plan.scope, facts.now)
    return reason === null ? pass('phase Running, and old enough') : fail(reason)
  },
}

const laneOfOne: Gate<Facts> = {
  name: 'lane-of-one',
  why: 'With a second slot the next job would not wait for this one.',
  judge({ reading, planned }) {
    const most = reading.set?.maxRunners ?? null
    const holders = holdersOf(reading)
    const isOnly = holders.length === 1 && holders[0]?.uid === planned.uid
    const proof = `maxRunners ${most ?? 'unset'}; in its slots: ${holders.map(({ name }) => name).join(', ') || 'none'}`
    return { passed: most === 1 && isOnly, proof }
  },
}

const replacementQueued: Gate<Facts> = {
  name: 'replacement-queued',
  why: 'The slot is freed for one job: where it has gone or has started, nothing is gained.',
  judge({ next: { job }, planned: { next }, reading, plan, now }) {
    const name = `job ${next.jobId} of ${next.repository}`
    if (job === null) return fail(`the forge knows no ${name}`)
    const waitMs = job.queuedAt === null ? 0 : now - job.queuedAt
    const isServed = serves(reading.set?.runnerLabels ?? [], job.labels)
    const proof = `${name} is ${job.status} since ${durationText(Math.max(0, waitMs))}, labels ${job.labels.join(', ')}`
    return { passed: job.status === 'queued' && waitMs >= plan.scope.minWaitMs && isServed, proof }
  },
}

const noWorker: Gate<Facts> = {
  name: 'no-worker',
  why: 'A Runner.Worker process is a job at work. The processes of a pod are not seen through the API: a forge that sees the runner online and free speaks for it, or the operator who looked.',
  judge: judgeWorker,
}

/** Asked about each runner immediately before it is deleted; every one must pass. */
export const rechecks: readonly Gate<Facts>[] = [
  sameObject,
  stillHolding,
  laneOfOne,
  replacementQueued,
  noWorker,
  notBusyAtForge,
  finalizerOfArc,
]

function judgeWorker({ pod, forge: { runner }, plan, planned }: Facts): Verdict {
  const judged = judgeContainer(pod, runner?.isOnline === true && !runner.isBusy)
  if (judged.passed) return judged
  const isSeen = plan.scope.withoutWorker.includes(planned.name)
  return isSeen
    ? pass(`${judged.proof}; the operator looked and saw no Runner.Worker in it`)
    : fail(`${judged.proof}; whether a Runner.Worker runs in it cannot be seen from here`)
}
