import type { PodFact } from '../../snapshot/index.ts'
import { fail, type Gate, pass, type Verdict } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import { finalizerOfArc, judgeListed, noJobInCluster, runnerOf, sameObject } from '../runner/rechecks.ts'
import type { FailedRunnersFacts } from './facts.ts'
import { newFailures } from './new-failures.ts'
import { causeOf, selectFailed } from './select.ts'

type Facts = RecheckFacts<FailedRunnersFacts>

const stillFailed: Gate<Facts> = {
  name: 'still-failed',
  why: 'Only a runner that ARC has given up holds its slot for nothing.',
  judge({ reading, planned }) {
    const found = selectFailed(reading).find(({ runner }) => runner.uid === planned.uid)
    if (found === undefined) return fail('it is not among the runners of its set')
    return found.isChosen ? pass('phase Failed') : fail(found.why)
  },
}

const causeStated: Gate<Facts> = {
  name: 'cause-stated',
  why: 'The object is the only place where ARC states the cause: it is kept in the plan before the object goes.',
  judge(facts) {
    const runner = runnerOf(facts)
    const cause = runner === null ? null : causeOf(runner)
    return cause === null ? fail('neither reason nor message says why it failed') : pass(cause)
  },
}

const noNewFailure: Gate<Facts> = {
  name: 'cause-not-back',
  why: 'Where the cause persists, ARC’s next runner fails as well: more removals gain nothing.',
  judge: ({ reading, plan }) => newFailures(reading, plan),
}

const noStartedContainer: Gate<Facts> = {
  name: 'no-started-container',
  why: 'A container that has started may have run a job: only pods in which none ever did are given up.',
  judge: ({ pod }) => judgePod(pod),
}

const notBusyAtForge: Gate<Facts> = {
  name: 'not-busy-at-forge',
  why: 'A runner without a pod, of which no pod ever started, never ran the program that registers and takes jobs. For it alone the forge’s list may be without it; in every other case absence is no proof.',
  judge(facts) {
    const { forge, pod } = facts
    if (forge.runner !== null) return judgeListed(facts)
    const failures = runnerOf(facts)?.failures.length ?? null
    if (pod === null && failures === 0)
      return pass('not in the forge’s list; it has no pod, and no pod of it ever failed or started')
    return fail(
      `not in the forge’s list: absence is no proof, since ${pod === null ? `${failures ?? 'an unknown number of'} pods of it came and failed` : 'it has a pod'}`,
    )
  },
}

/** Asked about each runner immediately before it is deleted; every one must pass. */
export const rechecks: readonly Gate<Facts>[] = [
  sameObject,
  stillFailed,
  causeStated,
  noNewFailure,
  noJobInCluster,
  noStartedContainer,
  notBusyAtForge,
  finalizerOfArc,
]

function judgePod(pod: PodFact | null): Verdict {
  if (pod === null) return pass('it has no pod')
  const started = pod.statuses.filter(
    ({ state, lastState, restarts }) =>
      lastState !== null || restarts > 0 || (state !== null && state.kind !== 'waiting'),
  )
  if (pod.startedAt !== null && pod.statuses.length === 0)
    return fail('the kubelet has its pod, and reports no container yet')
  return started.length === 0
    ? pass(`pod ${pod.phase}, none of its containers has started`)
    : fail(`started: ${started.map(({ name }) => name).join(', ')}`)
}
