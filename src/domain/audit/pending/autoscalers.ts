import { type AutoscalerFact, isWhole } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { evidenceOf, findingOf, subjectOf } from '../judging.ts'
import { hpaAtMax } from './classes.ts'

/** Autoscalers at their maximum that want more: by their own condition, or by jobs that no scale set serves. */
export function autoscalersAtMax(input: AuditInput): readonly Finding[] {
  const queued = queuedElsewhere(input)
  const { autoscalers } = input.snapshot.cluster
  return autoscalers.items.flatMap((autoscaler) => {
    const { max, conditions } = autoscaler
    if (!isAtMax(autoscaler)) return []
    const limited = conditions.find(
      ({ type, status, reason }) =>
        type === 'ScalingLimited' && status === 'True' && reason === 'TooManyReplicas',
    )
    if (limited === undefined && queued === 0) return []
    const limits = limited === undefined ? [] : [`it wants more: ${limited.message ?? 'TooManyReplicas'}`]
    const waits = queued === 0 ? [] : [`${queued} jobs that no scale set serves are queued at the forge`]
    return [
      findingOf(hpaAtMax, {
        severity: 'warning',
        subject: subjectOf('autoscaler', autoscaler),
        confidence: limited === undefined ? 'likely' : 'proven',
        summary: `${autoscaler.name} is at its maximum of ${max} and work waits.`,
        evidence: [targetWords(autoscaler), ...limits, ...waits].map((text) => evidenceOf(autoscalers, text)),
        nextAllowedAction: {
          kind: 'person',
          text: "Raise the autoscaler's maximum in its source, once the namespace's quota has room for it.",
          command: null,
          raises: 'maximum',
        },
      }),
    ]
  })
}

function targetWords({ target, current, max }: AutoscalerFact): string {
  return `${target.kind} ${target.name} has ${current} of ${max} replicas`
}

/** An autoscaler that makes no more replicas, wanted or not. */
export function isAtMax({ max, current }: AutoscalerFact): boolean {
  return current !== null && current >= max
}

/** Queued jobs whose labels no scale set has: those of another kind of runner. Rests on all sets being known. */
function queuedElsewhere({ snapshot, joins }: AuditInput): number {
  if (!isWhole(snapshot.cluster.scaleSets)) return 0
  return snapshot.forge.jobs.items.filter(
    ({ status, labels }) => status === 'queued' && !labels.some((label) => joins.setsByLabel.has(label)),
  ).length
}
