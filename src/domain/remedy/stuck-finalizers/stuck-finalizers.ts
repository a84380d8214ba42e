import { durationText } from '../../format.ts'
import type { RunnerFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { ProveFacts, RecheckFacts, Remedy } from '../remedy.ts'
import { finalizerOfArc, noJobInCluster, runnerOf, sameObject } from '../runner/rechecks.ts'
import { goneFromCluster, noJobLost } from '../runner/results.ts'
import type { StuckFinalizersFacts } from './facts.ts'
import { judgeAccepted, judgeRefusal } from './judge-credential.ts'

const minuteMs = 60_000

type Facts = RecheckFacts<StuckFinalizersFacts>

/** Why a runner is none whose deletion hangs; null: it is one, by the cluster's own facts. */
export function reasonNotStuck(runner: RunnerFact, minAgeMs: number, now: Instant): string | null {
  const { deletedAt, finalizers, job } = runner
  if (deletedAt === null) return 'nobody deleted it'
  if (finalizers.length === 0) return 'no finalizer holds it'
  if (job !== null) return 'it waits for the end of its job, by right'
  const ageMs = now - deletedAt
  return ageMs >= minAgeMs
    ? null
    : `it was deleted ${durationText(Math.max(0, ageMs))} ago: ARC may still be at it`
}

const stillStuck: Gate<Facts> = {
  name: 'still-stuck',
  why: 'A deletion that is young, or that waits for a job, is no trouble.',
  judge(facts) {
    const runner = runnerOf(facts)
    const reason =
      runner === null ? 'it is not there' : reasonNotStuck(runner, facts.plan.scope.minAgeMs, facts.now)
    return reason === null
      ? pass(`deleted ${durationText(facts.now - (runner?.deletedAt ?? facts.now))} ago, and still held`)
      : fail(reason)
  },
}

/** A runner that ARC removed meanwhile by itself is no anomaly: what was to be reached is reached. */
function orGone(gate: Gate<Facts>): Gate<Facts> {
  return {
    ...gate,
    judge: (facts) =>
      runnerOf(facts) === null ? pass('it is gone already: ARC was quicker') : gate.judge(facts),
  }
}

const notBusy: Gate<Facts> = {
  name: 'not-busy',
  why: 'While a job runs, the finalizer holds the runner by right. One that the forge lists no more has none.',
  judge: ({ forge: { runner } }) =>
    runner?.isBusy === true
      ? fail('the forge calls it busy: it goes with its job')
      : pass(runner === null ? 'the forge lists it no more' : 'the forge calls it free'),
}

const removalRefused: Gate<Facts> = {
  name: 'removal-refused',
  why: 'Only a removal that the forge refused for the credential is helped by a good one.',
  judge: ({ lines, planned }) => judgeRefusal(lines, planned),
}

const credentialAccepted: Gate<Facts> = {
  name: 'credential-accepted',
  why: 'With a credential that is still refused, ARC’s next try fails as the last one did.',
  judge: ({ credential, planned }) => judgeAccepted(credential, planned.scaleSet),
}

const allGone: Gate<ProveFacts<StuckFinalizersFacts>> = {
  name: 'all-gone',
  why: 'Each of them was held by the same credential.',
  judge({ reading: { runners }, plan }) {
    const left = runners.filter(({ uid }) => plan.objects.some((each) => each.uid === uid))
    return left.length === 0 ? pass('none is left') : fail(`left: ${left.map(({ name }) => name).join(', ')}`)
  },
}

/** Makes ARC look at once at runners whose removal the forge refused, now that it takes ARC's credential again. */
export const stuckFinalizers: Remedy<StuckFinalizersFacts> = {
  name: 'stuck-finalizers',
  bounds: {
    objectsPerRunMax: 20,
    objectsPerHourMax: 60,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // ARC asks the forge twice, then ends the pod.
    verifyMaxMs: 3 * minuteMs,
    proveMaxMs: 1 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround([
    orGone(sameObject),
    orGone(stillStuck),
    orGone(noJobInCluster),
    notBusy,
    orGone(finalizerOfArc),
    removalRefused,
    credentialAccepted,
  ]),
  verifications: [goneFromCluster, noJobLost],
  proofs: [allGone],
}
