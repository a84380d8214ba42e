/** A reason for which the scheduler places a pod on no node. */
export type SchedulerCause =
  | 'insufficient-cpu'
  | 'insufficient-memory'
  | 'insufficient-ephemeral-storage'
  | 'insufficient-extended-resource'
  | 'too-many-pods'
  | 'volume-node-affinity'
  | 'unbound-claim'
  | 'untolerated-taint'
  | 'selector-mismatch'
  | 'cordoned-nodes'
  | 'unschedulable'

/** A scheduler's message is short; the rest of a longer text is not matched. */
const messageCharsMax = 4_000

const insufficient = /Insufficient ([a-z0-9][\w./-]{0,200})/gi
const byResource: Readonly<Record<string, SchedulerCause>> = {
  cpu: 'insufficient-cpu',
  memory: 'insufficient-memory',
  'ephemeral-storage': 'insufficient-ephemeral-storage',
}
/** Filters that a node reaches only after it has passed taints and selectors. */
const late: readonly (readonly [RegExp, SchedulerCause])[] = [
  [/too many pods/i, 'too-many-pods'],
  [/volume node affinity conflict|match PersistentVolume's node affinity/i, 'volume-node-affinity'],
  [/unbound immediate PersistentVolumeClaims/i, 'unbound-claim'],
  [/find available persistent volumes to bind/i, 'unbound-claim'],
  [/persistentvolumeclaim "[^"]{1,253}" (?:not found|is being deleted)/i, 'unbound-claim'],
  [/not have enough free storage/i, 'unbound-claim'],
]
const exclusions: readonly (readonly [RegExp, SchedulerCause])[] = [
  [/untolerated taint/i, 'untolerated-taint'],
  [/had taints? that the pod didn't tolerate/i, 'untolerated-taint'],
  [/match Pod's node affinity\/selector|match node selector/i, 'selector-mismatch'],
  [/match pod (?:anti-)?affinity|topology spread constraints/i, 'selector-mismatch'],
  [/node\(s\) were unschedulable/i, 'cordoned-nodes'],
]

/**
 * The causes that a scheduler's message names. Each node reports the first filter that refuses it, taints and selectors
 * before resources: where a node lacks only a resource or a volume, the nodes that are excluded by design are not the cause.
 */
export function schedulerCauses(message: string): readonly SchedulerCause[] {
  const text = aboutNodes(message)
  const reached = new Set([...resourceCauses(text), ...matching(late, text)])
  if (reached.size > 0) return [...reached]
  const excluded = new Set(matching(exclusions, text))
  return excluded.size > 0 ? [...excluded] : ['unschedulable']
}

/** Whether the pod may not preempt others, by the scheduler's message. */
export function isPreemptionRefused(message: string): boolean {
  return message.slice(0, messageCharsMax).includes('preemptionPolicy=Never')
}

/** The part before the report about preemption, which repeats the nodes under other reasons. */
function aboutNodes(message: string): string {
  const [nodes = ''] = message.slice(0, messageCharsMax).split(/\bpreemption: /i, 1)
  return nodes
}

function resourceCauses(text: string): SchedulerCause[] {
  return resourcesIn(text).map((resource) => byResource[resource] ?? 'insufficient-extended-resource')
}

function resourcesIn(text: string): string[] {
  const names = [...text.matchAll(insufficient)].map(([, name = '']) => name.replace(/\.+$/, ''))
  return [...new Set(names)]
}

function matching(rows: readonly (readonly [RegExp, SchedulerCause])[], text: string): SchedulerCause[] {
  return rows.flatMap(([words, cause]) => (words.test(text) ? [cause] : []))
}
