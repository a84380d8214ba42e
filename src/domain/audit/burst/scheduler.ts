import { counted } from '../../format.ts'
import type { PodFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { setOfPod } from '../joins.ts'
import { commandWith, evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { type LabelLoad, labelKey } from '../label-load.ts'
import { isPullBlocked, refusalOf } from '../pending/cause-of-pod.ts'
import { type SchedulerCause, schedulerCauses } from '../scheduler-message.ts'
import { schedulerPressure } from './classes.ts'

/** Causes that a burst makes: places are taken, or the lane may not go where there are some. */
const pressing: ReadonlySet<SchedulerCause> = new Set<SchedulerCause>([
  ...(['insufficient-cpu', 'insufficient-memory', 'insufficient-ephemeral-storage'] as const),
  ...(['insufficient-extended-resource', 'too-many-pods', 'untolerated-taint'] as const),
])

interface Refused {
  readonly pod: PodFact
  readonly message: string
  readonly causes: readonly SchedulerCause[]
}

/** Labels whose runner pods the scheduler refuses for want of a place. */
export function schedulerRefusals(
  input: AuditInput,
  loads: ReadonlyMap<string, LabelLoad>,
): readonly Finding[] {
  const byLabel = new Map<string, Refused[]>()
  for (const pod of input.snapshot.cluster.pods.items) {
    const refused = refusedPod(pod)
    if (refused === null) continue
    const set = input.joins.setByKey.get(setOfPod(input.joins, pod) ?? '')
    for (const label of set?.runnerLabels ?? []) {
      const known = byLabel.get(labelKey(label))
      if (known === undefined) byLabel.set(labelKey(label), [refused])
      else known.push(refused)
    }
  }
  return [...byLabel].flatMap(([key, refused]) => {
    const load = loads.get(key)
    return load === undefined ? [] : [pressureFinding(input, load.label, refused)]
  })
}

function refusedPod(pod: PodFact): Refused | null {
  if (pod.phase !== 'Pending' || pod.deletedAt !== null || isPullBlocked(pod)) return null
  const refusal = refusalOf(pod)
  if (refusal?.reason !== 'Unschedulable') return null
  const message = refusal.message ?? ''
  const causes = schedulerCauses(message).filter((cause) => pressing.has(cause))
  return causes.length === 0 ? null : { pod, message, causes }
}

function pressureFinding({ snapshot }: AuditInput, label: string, refused: readonly Refused[]): Finding {
  const counts = new Map<string, number>()
  for (const cause of refused.flatMap(({ causes }) => causes)) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  const [first] = refused
  const { pods } = snapshot.cluster
  return findingOf(schedulerPressure, {
    severity: 'warning',
    subject: subjectOf('label', { namespace: '', name: label }),
    confidence: 'proven',
    summary: `The scheduler refuses ${counted(refused.length, 'runner pod')} of ${label}.`,
    evidence: [
      evidenceOf(
        pods,
        someOf(
          [...counts].map(([cause, count]) => `${cause} ${count}`),
          counts.size,
        ),
      ),
      evidenceOf(pods, `${first?.pod.name}: ${first?.message}`),
    ],
    nextAllowedAction: {
      kind: 'read',
      text: 'See which resource limits the label, and what one more slot needs.',
      command: commandWith('holdfast capacity check --label', label),
    },
  })
}
