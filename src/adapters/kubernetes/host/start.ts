import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Trouble, TroubleKind } from '../../../domain/pool/index.ts'
import type { RunnerStart, StartOutcome } from '../../../ports/runner-host.ts'
import type { HostContext } from './context.ts'
import { kinds } from './kinds.ts'
import { inView, isOurs, readAnybodys, readDirectly } from './look.ts'
import { keepPod, type RunnerPod } from './objects.ts'

const MESSAGE_CHARS_MAX = 500
/** The words of the admission that counts. */
const OVER_QUOTA = /exceeded quota|status unknown for quota/i

/** Makes the pod of a runner. What is not known to have failed stays reserved until it is known. */
export async function startPod(
  context: HostContext,
  { name, pool, avoidNodes, unwantedNodes }: RunnerStart,
  signal: AbortSignal,
): Promise<StartOutcome> {
  const { memory, clock } = context
  if (inView(context, name) !== undefined) return { kind: 'started' }
  const plan = context.plan(pool)
  if (plan === undefined) {
    return refused(context, 'TemplateRefused', `there is no pool "${pool}" to make runners of`)
  }
  const { problems, pod: podOf } = context.prototypeOf(plan)
  if (problems.length > 0) return refused(context, 'TemplateRefused', problems.join(' '))
  const manifest = podOf(name, pool, avoidNodes, unwantedNodes)
  const writer = context.writer()
  // Before it is sent: the watch may be faster than the answer.
  memory.reserved.set(name, { pool, askedAt: clock.now(), pod: null })
  try {
    const created = await writer.create(kinds.pods, manifest, signal)
    if (created.kind === 'exists') return await existing(context, name, signal)
    const { metadata } = created.object
    memory.uids.set(name, metadata.uid)
    keepReserved(context, name, keepPod({ ...manifest, metadata }))
    return { kind: 'started' }
  } catch (error) {
    if (mayHaveBeenMade(error, signal)) throw error
    const trouble = troubleOfRefusal(error)
    // Admission speaks before anybody looks whether the name is taken: an earlier try of ours may have made it.
    if (trouble !== null && (await isThere(context, name, signal))) return { kind: 'started' }
    memory.reserved.delete(name)
    if (trouble === null) throw error
    return refused(context, trouble.kind, trouble.message)
  }
}

/** Whether the cluster itself has a pod of ours under this name; it is listed from here on. */
async function isThere(context: HostContext, name: string, signal: AbortSignal): Promise<boolean> {
  const pod = await readDirectly(context, name, signal)
  if (pod === undefined) return false
  keepReserved(context, name, pod)
  return true
}

/** Unless a watch has shown it meanwhile. */
function keepReserved({ memory }: HostContext, name: string, pod: RunnerPod): void {
  const reserved = memory.reserved.get(name)
  if (reserved !== undefined) memory.reserved.set(name, { ...reserved, pod })
}

/** Somebody has this name already: an earlier try of ours whose answer was lost, or a stranger. */
async function existing(context: HostContext, name: string, signal: AbortSignal): Promise<StartOutcome> {
  const pod = inView(context, name) ?? (await readAnybodys(context, name, signal))
  context.memory.reserved.delete(name)
  if (pod === undefined || context.memory.noteOf(pod.metadata.uid).isReleased) {
    throw new HoldfastError('E_RUNNER_START', { name, reason: 'a pod of this name went in this moment' })
  }
  if (isOurs(context, pod)) return { kind: 'started' }
  return refused(context, 'TemplateRefused', `there is a pod "${name}" already that is not of this Holdfast`)
}

/** Whatever is not known to have had no effect may have had one; who breaks it off himself learns nothing. */
function mayHaveBeenMade(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || !(error instanceof HoldfastError)) return true
  if (error.code === 'E_CLUSTER_UNREACHABLE') return error.params.outcomeUnknown === true
  return error.code === 'E_CLUSTER_ANSWER'
}

/** Null: it is no answer to what was asked for, such as a conflict between two who count for one quota. */
function troubleOfRefusal(error: unknown): Pick<Trouble, 'kind' | 'message'> | null {
  if (!(error instanceof HoldfastError)) return null
  const reason = String(error.params.reason ?? '')
  if (error.code === 'E_CLUSTER_NOT_FOUND') return { kind: 'TemplateRefused', message: reason }
  if (error.code !== 'E_CLUSTER_REFUSED' || error.params.code === 401) return null
  return { kind: OVER_QUOTA.test(reason) ? 'QuotaExceeded' : 'TemplateRefused', message: reason }
}

function refused({ clock }: HostContext, kind: TroubleKind, message: string): StartOutcome {
  return {
    kind: 'refused',
    trouble: { kind, message: message.slice(0, MESSAGE_CHARS_MAX), since: clock.now() },
  }
}
