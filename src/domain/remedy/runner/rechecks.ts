import type { PodFact, RunnerFact } from '../../snapshot/index.ts'
import { fail, type Gate, pass, type Verdict } from '../gate.ts'
import { hasRunningListener } from '../reading.ts'
import type { RecheckFacts } from '../remedy.ts'
import type { RunnerFacts } from './facts.ts'

/** With it, ARC asks the forge to remove a runner before it ends its pod, and the forge refuses while a job runs. */
export const registrationFinalizer = 'ephemeralrunner.actions.github.com/runner-registration-finalizer'

type Facts = RecheckFacts<RunnerFacts>

export const sameObject: Gate<Facts> = {
  name: 'same-object',
  why: 'Another object of the same name, or another state of this one, was never approved.',
  judge(facts) {
    const runner = runnerOf(facts)
    if (runner === null) return fail('there is no such object any more')
    const { uid, resourceVersion } = facts.planned
    const isSame = runner.uid === uid && runner.resourceVersion === resourceVersion
    return within(
      isSame,
      `uid ${runner.uid}, resourceVersion ${runner.resourceVersion}; planned ${uid}, ${resourceVersion}`,
    )
  },
}

export const noJobInCluster: Gate<Facts> = {
  name: 'no-job-in-cluster',
  why: 'ARC’s listener writes the job into the runner’s status.',
  judge(facts) {
    const runner = runnerOf(facts)
    if (runner === null) return fail('there is no such object any more')
    if (runner.job !== null) return fail(`status names the job ${runner.job.requestId ?? runner.job.id}`)
    const weight = hasRunningListener(facts.reading)
      ? 'its listener runs'
      : 'without a running listener this proves nothing: the forge alone decides'
    return pass(`no job in status; ${weight}`)
  },
}

export const notBusyAtForge: Gate<Facts> = {
  name: 'not-busy-at-forge',
  why: 'The forge knows of a job before the cluster does, and also without a listener.',
  judge: judgeListed,
}

/** Only a runner that the forge lists by this name and calls free passes. */
export function judgeListed({ forge: { runner }, planned }: Facts): Verdict {
  if (runner === null) return fail('the forge lists no runner of this name: absence is no proof')
  const isIt = runner.name === planned.name
  return within(isIt && !runner.isBusy, `forge: runner ${runner.id} ${runner.name}, busy ${runner.isBusy}`)
}

export const startedContainer: Gate<Facts> = {
  name: 'started-container',
  why: 'A started runner container may run a job: only a forge that sees it online and free lifts this veto.',
  judge: ({ pod, forge }) => judgeContainer(pod, forge.runner?.isOnline === true && !forge.runner.isBusy),
}

export const finalizerOfArc: Gate<Facts> = {
  name: 'finalizer-of-arc',
  why: 'A job that begins in the last moment is saved by ARC’s finalizer, which is never stripped.',
  judge(facts) {
    const finalizers = runnerOf(facts)?.finalizers ?? []
    return within(
      finalizers.includes(registrationFinalizer),
      `finalizers: ${finalizers.join(', ') || 'none'}`,
    )
  },
}

/** The object of the planned name, whatever its state. */
export function runnerOf({ reading, planned: { namespace, name } }: Facts): RunnerFact | null {
  return reading.runners.find((each) => each.namespace === namespace && each.name === name) ?? null
}

/** Passes a pod whose runner container has not started, and a started one only where the forge speaks for it. */
export function judgeContainer(pod: PodFact | null, isOnlineAndFree: boolean): Verdict {
  if (pod === null) return pass('it has no pod')
  const status = pod.statuses.find(({ name }) => name === 'runner')
  if (status === undefined) return pass(`pod ${pod.phase}, its runner container is not reported yet`)
  const { state, lastState } = status
  if (state?.kind === 'terminated' || lastState?.kind === 'terminated')
    return fail('its runner container has ended: ARC settles it')
  if (state === null || state.kind === 'waiting') return pass('its runner container has not started')
  const forge = isOnlineAndFree
    ? 'the forge sees it online and free'
    : 'the forge does not see it online and free'
  return within(isOnlineAndFree, `its runner container has started; ${forge}`)
}

function within(passed: boolean, proof: string): Verdict {
  return { passed, proof }
}
