import type {
  ObjectRef,
  RunnerFact,
  RunnerJobFact,
  RunnerSetFact,
} from '../../../../domain/snapshot/index.ts'
import { instantOf } from '../../client/index.ts'
import { imagesIn } from './container.ts'
import { type Cursor, count, entriesIn, flag, has, inside, name, number, words } from './cursor.ts'
import { marksOf, objectFact, ownerOf } from './object.ts'

/** ARC makes a runner again after the sixth; any other writer is bounded. */
const failuresMax = 20
const uidCharsMax = 64

/** ARC's EphemeralRunnerSet. */
export function parseRunnerSet(object: Cursor): RunnerSetFact {
  const spec = inside(object, 'spec')
  const status = inside(object, 'status')
  const fact = objectFact(object)
  const owner = ownerOf(object)
  const isOwned = owner?.kind === 'AutoscalingRunnerSet'
  return {
    ...fact,
    scaleSet: isOwned ? { namespace: fact.namespace, name: owner.name } : scaleSetOf(object),
    specHash: specHashOf(object),
    replicas: count(spec, 'replicas'),
    patchId: number(spec, 'patchID') ?? 0,
    phase: name(status, 'phase'),
    images: imagesIn(inside(inside(spec, 'ephemeralRunnerSpec'), 'spec')),
    reported: has(object, 'status')
      ? {
          current: count(status, 'currentReplicas'),
          pending: count(status, 'pendingEphemeralRunners'),
          running: count(status, 'runningEphemeralRunners'),
          failed: count(status, 'failedEphemeralRunners'),
        }
      : null,
  }
}

/** ARC's EphemeralRunner. Its status had the runner's configuration up to 0.12, a secret: only fields named here are taken. */
export function parseRunner(object: Cursor): RunnerFact {
  const status = inside(object, 'status')
  const owner = ownerOf(object)
  return {
    ...objectFact(object),
    origin: 'arc',
    scaleSet: scaleSetOf(object),
    runnerSet: owner?.kind === 'EphemeralRunnerSet' ? { name: owner.name, uid: owner.uid } : null,
    phase: name(status, 'phase'),
    reason: words(status, 'reason'),
    message: words(status, 'message'),
    isReady: flag(status, 'ready'),
    forgeRunnerId: count(status, 'runnerId') || null,
    job: parseJob(status),
    failures: parseFailures(status),
    specHash: specHashOf(object),
    images: imagesIn(inside(inside(object, 'spec'), 'spec')),
  }
}

/** `jobRequestId` is written by every release, `jobId` from 0.13 on. */
function parseJob(status: Cursor): RunnerJobFact | null {
  const requestId = count(status, 'jobRequestId')
  const job: RunnerJobFact = {
    requestId: requestId === 0 ? null : String(requestId),
    id: name(status, 'jobId'),
    name: words(status, 'jobDisplayName'),
    repository: words(status, 'jobRepositoryName'),
    workflowRef: words(status, 'jobWorkflowRef'),
    runId: count(status, 'workflowRunId') || null,
  }
  return Object.values(job).every((value) => value === null) ? null : job
}

/** By pod UID: older releases note `true`, newer ones the time. */
function parseFailures(status: Cursor): RunnerFact['failures'] {
  return entriesIn(status, 'failures')
    .map(([podUid, at]) => ({
      podUid: podUid.slice(0, uidCharsMax),
      at: typeof at === 'string' ? instantOf(at) : null,
    }))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
    .slice(-failuresMax)
}

function scaleSetOf(object: Cursor): ObjectRef | null {
  const { labels } = marksOf(object)
  const setName = name(labels, 'actions.github.com/scale-set-name')
  const namespace = name(labels, 'actions.github.com/scale-set-namespace')
  return setName === null || namespace === null ? null : { namespace, name: setName }
}

function specHashOf(object: Cursor): string | null {
  const { annotations, labels } = marksOf(object)
  return (
    name(annotations, 'actions.github.com/integrity-hash') ??
    name(annotations, 'actions.github.com/runner-spec-hash') ??
    name(labels, 'runner-spec-hash')
  )
}
