import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass } from '../gate.ts'
import { hasRunningListener, type SetReading } from '../reading.ts'
import type { ProveFacts, RecheckFacts, Remedy, VerifyFacts } from '../remedy.ts'
import type { OutdatedFacts } from './facts.ts'
import { judgeRenewed, judgeStays, judgeTakenDown } from './judge-set.ts'

const minuteMs = 60_000
/** A runner that is refused ends within seconds after it registered. */
const acceptedAfterMs = 1 * minuteMs

const rechecks: readonly Gate<RecheckFacts<OutdatedFacts>>[] = [
  {
    name: 'same-object',
    why: 'Another object of the same name, or another state of this one, was never approved.',
    judge({ reading: { set }, planned: { uid, resourceVersion } }) {
      if (set === null) return fail('there is no such object any more')
      const isSame = set.uid === uid && set.resourceVersion === resourceVersion
      return { passed: isSame, proof: `uid ${set.uid}, resourceVersion ${set.resourceVersion}` }
    },
  },
  {
    name: 'stays-outdated',
    why: 'A set in any other phase is on its way, and ARC’s.',
    judge: ({ reading }) => judgeStays(reading),
  },
  {
    name: 'taken-down',
    why: 'A runner that is left may have a job: ARC waits for its end by right.',
    judge: ({ reading }) => judgeTakenDown(reading),
  },
  {
    name: 'image-renewed',
    why: 'The cause is the version of the runner: with the same image the forge refuses it again.',
    judge: ({ reading, plan }) => judgeRenewed(reading, plan.scope.renewed),
  },
]

const verifications: readonly Gate<VerifyFacts<OutdatedFacts>>[] = [
  {
    name: 'generation-made',
    why: 'ARC registers the set at the forge again, then makes its runners’ set.',
    judge: ({ reading: { generations } }) => ({
      passed: generations.length === 1,
      proof: `generations: ${generations.map(({ name }) => name).join(', ') || 'none'}`,
    }),
  },
  { name: 'listener-running', why: 'Without a listener the set takes no jobs.', judge: judgeListener },
]

const proofs: readonly Gate<ProveFacts<OutdatedFacts>>[] = [
  {
    name: 'phase-running',
    why: 'A runner that is refused again brings the phase Outdated back.',
    judge: ({ reading: { set } }) => ({
      passed: set?.phase === 'Running',
      proof: `phase of the set ${set?.phase ?? 'unknown'}`,
    }),
  },
  { name: 'listener-running', why: 'Without a listener the set takes no jobs.', judge: judgeListener },
  {
    name: 'runner-accepted',
    why: 'A runner that lives on after its registration is of a version that the forge takes.',
    judge: ({ reading: { at, set, runners } }) => {
      if (set?.minRunners === 0) return pass('it wants no runner without a job: its next job shows it')
      const accepted = runners.find(
        ({ phase, isReady, createdAt }) =>
          phase === 'Running' && isReady && createdAt !== null && at - createdAt >= acceptedAfterMs,
      )
      return accepted === undefined
        ? fail(`none of ${runners.length} runners runs for ${acceptedAfterMs / 1_000} s yet`)
        : pass(`${accepted.name} runs for ${acceptedAfterMs / 1_000} s and more`)
    },
  },
]

/** Lets ARC make a set again that it took down because the forge refused its runners, once their image is a newer one. */
export const outdated: Remedy<OutdatedFacts> = {
  name: 'outdated',
  bounds: {
    objectsPerRunMax: 5,
    objectsPerHourMax: 10,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // The set is registered again, and the listener's pod pulls its image.
    verifyMaxMs: 3 * minuteMs,
    proveMaxMs: 5 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications,
  proofs,
}

function judgeListener({ reading }: { readonly reading: SetReading }) {
  return hasRunningListener(reading) ? pass('its pod runs') : fail('no listener with a running pod')
}
