import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { StartProblem, StartProblemKind } from '../../../../domain/pool/index.ts'
import type { RunnerStart, StartOutcome } from '../../../../ports/runner-host.ts'
import { kinds } from '../../client/index.ts'
import type { HostContext } from '../context.ts'
import { type RunnerPod, toRunnerPod } from '../objects/objects.ts'
import { inCache, isOurs, readOwnPod, readPodByName } from '../watch/read-runner.ts'

const messageCharsMax = 500
/** The messages of the quota admission. */
const overQuota = /exceeded quota|status unknown for quota/i

/** Creates the pod of a runner. A create that is not known to have failed stays pending until it is known. */
export async function startPod(
  context: HostContext,
  { name, pool, avoidNodes, unwantedNodes }: RunnerStart,
  signal: AbortSignal,
): Promise<StartOutcome> {
  const { state, clock } = context
  if (inCache(context, name) !== undefined) return { kind: 'started' }
  const plan = context.plan(pool)
  if (plan === undefined) {
    return refused(context, 'TemplateRefused', `there is no pool "${pool}" to make runners of`)
  }
  const { problems, pod: podOf } = context.prototypeOf(plan)
  if (problems.length > 0) return refused(context, 'TemplateRefused', problems.join(' '))
  const manifest = podOf(name, pool, avoidNodes, unwantedNodes)
  const writer = context.writer()
  // Before it is sent: the watch may be faster than the answer.
  state.pendingCreates.set(name, { pool, askedAt: clock.now(), pod: null })
  try {
    const created = await writer.create(kinds.pods, manifest, signal)
    if (created.kind === 'exists') return await existing(context, name, signal)
    const { metadata } = created.object
    state.uids.set(name, metadata.uid)
    setPendingPod(context, name, toRunnerPod({ ...manifest, metadata }))
    return { kind: 'started' }
  } catch (error) {
    if (mayHaveBeenMade(error, signal)) throw error
    const refusal = problemOfRefusal(error)
    // Admission speaks before anybody looks whether the name is taken: an earlier try of ours may have made it.
    if (refusal !== null && (await isThere(context, name, signal))) return { kind: 'started' }
    state.pendingCreates.delete(name)
    if (refusal === null) throw error
    return refused(context, refusal.kind, refusal.message)
  }
}

/** Whether the cluster itself has a pod of ours under this name; it is listed from here on. */
async function isThere(context: HostContext, name: string, signal: AbortSignal): Promise<boolean> {
  const pod = await readOwnPod(context, name, signal)
  if (pod === undefined) return false
  setPendingPod(context, name, pod)
  return true
}

/** Unless a watch has shown it meanwhile. */
function setPendingPod({ state }: HostContext, name: string, pod: RunnerPod): void {
  const reserved = state.pendingCreates.get(name)
  if (reserved !== undefined) state.pendingCreates.set(name, { ...reserved, pod })
}

/** The name is taken: by an earlier try of ours whose answer was lost, or by a foreign pod. */
async function existing(context: HostContext, name: string, signal: AbortSignal): Promise<StartOutcome> {
  const pod = inCache(context, name) ?? (await readPodByName(context, name, signal))
  context.state.pendingCreates.delete(name)
  if (pod === undefined || context.state.noteOf(pod.metadata.uid).isReleased) {
    throw new HoldfastError('E_RUNNER_START', { name, reason: 'a pod of this name was just removed' })
  }
  if (isOurs(context, pod)) return { kind: 'started' }
  return refused(context, 'TemplateRefused', `there is a pod "${name}" already that is not of this Holdfast`)
}

/** A create that is not known to have failed may have succeeded; a caller that aborts it learns nothing. */
function mayHaveBeenMade(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || !(error instanceof HoldfastError)) return true
  if (error.code === 'E_CLUSTER_UNREACHABLE') return error.params.outcomeUnknown === true
  return error.code === 'E_CLUSTER_ANSWER'
}

/** Null: it is no answer to what was asked for, such as a conflict between two who count for one quota. */
function problemOfRefusal(error: unknown): Pick<StartProblem, 'kind' | 'message'> | null {
  if (!(error instanceof HoldfastError)) return null
  const reason = String(error.params.reason ?? '')
  if (error.code === 'E_CLUSTER_NOT_FOUND') return { kind: 'TemplateRefused', message: reason }
  if (error.code !== 'E_CLUSTER_REFUSED' || error.params.code === 401) return null
  return { kind: overQuota.test(reason) ? 'QuotaExceeded' : 'TemplateRefused', message: reason }
}

function refused({ clock }: HostContext, kind: StartProblemKind, message: string): StartOutcome {
  return {
    kind: 'refused',
    problem: { kind, message: message.slice(0, messageCharsMax), since: clock.now() },
  }
}
