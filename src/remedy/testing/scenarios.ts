import {
  type FailedRunnersFacts,
  failedRunners,
  type HandoffFacts,
  handoff,
  type ListenerBlockerFacts,
  listenerBlocker,
  type ReapFacts,
  type Remedy,
  type RemedyFacts,
  reap,
  registrationFinalizer,
} from '../../domain/remedy/index.ts'
import { minuteMs, podFact } from '../../domain/snapshot/testing/facts.ts'
import {
  failedRunnersTreatment,
  handoffTreatment,
  listenerBlockerTreatment,
  planFailedRunners,
  planHandoff,
  planListenerBlocker,
  planReap,
  reapTreatment,
} from '../index.ts'
import { runnersMax, type Scenario, type Script } from './races.ts'
import {
  blockedWorld,
  failedWorld,
  handoffWorld,
  leakingWorld,
  place,
  type RemedyWorld,
  someJob,
} from './world.ts'

/** Small bounds, so that they are met often. */
function bounded<F extends RemedyFacts>(remedy: Remedy<F>): Remedy<F> {
  return { ...remedy, bounds: { ...remedy.bounds, objectsPerRunMax: 2, objectsPerHourMax: 3 } }
}

export const reaping: Scenario<ReapFacts> = {
  remedy: bounded(reap),
  world({ isStale }) {
    const world = leakingWorld(runnersMax)
    if (isStale) growOld(world)
    return world
  },
  treatment: reapTreatment,
  plan: (remedy, { isStale }, deps, signal) =>
    planReap(remedy, { sets: [place], isStaleGeneration: isStale, minAgeMs: 60 * minuteMs }, deps, signal),
  problems: () => [],
}

export const failing: Scenario<FailedRunnersFacts> = {
  remedy: bounded(failedRunners),
  world({ oddity }) {
    const world = failedWorld(runnersMax)
    makeOdd(world, 'r1', oddity)
    return world
  },
  treatment: failedRunnersTreatment,
  plan: (remedy, _, deps, signal) => planFailedRunners(remedy, { sets: [place] }, deps, signal),
  problems({ name, runner, busySince }, { runners }, wasSeen) {
    const { phase, job, reason, failures, finalizers } = runner
    const replacements = [...runners.keys()].filter((each) => each.endsWith('-next'))
    return [
      ...(phase === 'Failed' ? [] : [`${name} was deleted, and had not failed`]),
      ...(job === null ? [] : [`${name} was deleted with a job in its status`]),
      ...(reason === null ? [`${name} was deleted, and nobody knows why it failed`] : []),
      ...(failures.length > 0 && busySince === null
        ? [`${name} was deleted on the forge’s silence, and pods of it had been there`]
        : []),
      ...(finalizers.includes(registrationFinalizer) ? [] : [`${name} was deleted without ARC’s finalizer`]),
      ...(wasSeen(`the pod of ${name} started`, `the pod of ${name} was read`)
        ? [`${name} was deleted, and its pod had started`]
        : []),
      ...replacements
        .filter((each) => wasSeen(`${each} failed`, 'the set was read'))
        .map((each) => `${name} was deleted although ${each} shows that the cause persists`),
    ]
  },
}

export const handingOff: Scenario<HandoffFacts> = {
  remedy: bounded(handoff),
  world({ oddity }) {
    const world = handoffWorld()
    makeOdd(world, 'r1', oddity === 'offline at the forge' ? oddity : 'none')
    return world
  },
  treatment: handoffTreatment,
  plan(remedy, { isWorkerSought }, deps, signal) {
    const withoutWorker = isWorkerSought ? ['r1'] : []
    const scope = { sets: [place], repository: null, minWaitMs: 5 * minuteMs, withoutWorker }
    return planHandoff(remedy, scope, deps, signal)
  },
  problems({ name, runner }, _, wasSeen, { isWorkerSought }) {
    return [
      ...(runner.finalizers.includes(registrationFinalizer)
        ? []
        : [`${name} was deleted without ARC’s finalizer`]),
      ...(wasSeen('the lane was widened', 'the set was read')
        ? [`${name} was deleted although its lane has more slots`]
        : []),
      ...(wasSeen('the job left the queue', 'the job was read')
        ? [`${name} was deleted for a job that no longer waits`]
        : []),
      ...(!isWorkerSought && wasSeen(`${name} went offline`, `${name} was asked about`)
        ? [`${name} was deleted, and nobody knows whether a Worker ran in it`]
        : []),
    ]
  },
}

export const unblocking: Scenario<ListenerBlockerFacts> = {
  remedy: bounded(listenerBlocker),
  world: () => blockedWorld(2),
  treatment: listenerBlockerTreatment,
  plan: (remedy, _, deps, signal) => planListenerBlocker(remedy, { sets: [place] }, deps, signal),
  problems({ name, runner, isListenerUp, busy }, _, wasSeen) {
    const other = name === 'r1' ? 'r2' : 'r1'
    const otherSince = busy.get(other)
    return [
      ...(runner.finalizers.includes(registrationFinalizer)
        ? []
        : [`${name} was deleted without ARC’s finalizer`]),
      ...(isListenerUp && wasSeen('the listener came', 'the set was read')
        ? [`${name} was deleted, and the listener was back`]
        : []),
      ...(wasSeen('a runner was made', 'the set was read')
        ? [`${name} was deleted although ARC makes them again`]
        : []),
      ...(otherSince !== undefined && wasSeen(otherSince, `${other} was asked about`)
        ? [`${name} was deleted although ${other} keeps the listener away by right`]
        : []),
    ]
  },
}

/** All runners belong to a generation that a newer one has followed. */
function growOld(world: RemedyWorld): void {
  const [old] = world.generations
  if (old === undefined) return
  const newest = {
    ...old,
    name: 'linux-gen2',
    uid: 'uid-gen2',
    specHash: 'b2',
    createdAt: world.now,
    replicas: 0,
  }
  world.generations = [{ ...old, deletedAt: world.now, replicas: runnersMax }, newest]
}

function makeOdd(world: RemedyWorld, name: string, oddity: Script['oddity']): void {
  const busy = { id: 901, isOnline: true, busySince: 0 }
  if (oddity === 'a job in its status') world.change(name, { job: someJob })
  if (oddity === 'no cause stated') world.change(name, { reason: null, message: null })
  if (oddity === 'an earlier pod') world.change(name, { failures: [{ podUid: 'p1', at: null }] })
  if (oddity === 'busy without a pod') world.atForge.set(name, busy)
  if (oddity === 'offline at the forge') world.goOffline(name)
  if (oddity === 'a started pod') {
    world.pods.set(name, podFact(name))
    world.atForge.set(name, { ...busy, busySince: null })
    world.note(`the pod of ${name} started`)
  }
}
