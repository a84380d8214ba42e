import type { AutoscalerFact } from '../../../snapshot/index.ts'
import type { AuditInput } from '../../audit.ts'
import type { Finding } from '../../finding.ts'
import { keyOf } from '../../joins.ts'
import { evidenceOf, findingOf, isAbsenceKnown, subjectOf } from '../../judging.ts'
import { autoscalerTargetMissing, managerAutoscaled } from '../classes.ts'
import type { GitlabFleet } from '../fleet.ts'

/** Autoscalers next to managers: of nothing, or of the managers themselves. */
export function autoscalerFindings(fleet: GitlabFleet, input: AuditInput): readonly Finding[] {
  const { autoscalers, deployments } = input.snapshot.cluster
  const managers = new Set(fleet.deployments.map(keyOf))
  const known = new Set(deployments.items.map(keyOf))
  return autoscalers.items.flatMap((autoscaler) => {
    const { namespace, target } = autoscaler
    if (!fleet.namespaces.has(namespace) || target.kind !== 'Deployment') return []
    const key = keyOf({ namespace, name: target.name })
    const isGone = !known.has(key) && isAbsenceKnown(deployments, input.snapshot, namespace)
    if (isGone || isUnscalable(autoscaler)) return [scalesNothing(autoscaler, isGone, input)]
    return managers.has(key) && autoscaler.max > autoscaler.min ? [scalesManagers(autoscaler, input)] : []
  })
}

/** By its own condition: it cannot read what it should scale. */
function isUnscalable({ conditions }: AutoscalerFact): boolean {
  return conditions.some(
    ({ type, status, reason }) => type === 'AbleToScale' && status === 'False' && reason === 'FailedGetScale',
  )
}

function scalesNothing(autoscaler: AutoscalerFact, isGone: boolean, { snapshot }: AuditInput): Finding {
  const { namespace, name, target, conditions } = autoscaler
  const { autoscalers, deployments } = snapshot.cluster
  const message = conditions.find(({ reason }) => reason === 'FailedGetScale')?.message
  return findingOf(autoscalerTargetMissing, {
    severity: 'warning',
    subject: subjectOf('autoscaler', autoscaler),
    confidence: isUnscalable(autoscaler) ? 'proven' : 'likely',
    summary: `Autoscaler ${name} scales Deployment ${target.name}, which ${isGone ? 'is not there' : 'it cannot read'}: it does nothing.`,
    evidence: [
      ...(message ? [evidenceOf(autoscalers, `AbleToScale is False: ${message}`)] : []),
      ...(isGone ? [evidenceOf(deployments, `no Deployment ${namespace}/${target.name}`)] : []),
    ],
    nextAllowedAction: {
      kind: 'person',
      text: 'Correct the name in its scaleTargetRef, or take the autoscaler away.',
      command: null,
    },
  })
}

function scalesManagers(autoscaler: AutoscalerFact, { snapshot }: AuditInput): Finding {
  const { name, target, min, max } = autoscaler
  return findingOf(managerAutoscaled, {
    severity: 'notice',
    subject: subjectOf('autoscaler', autoscaler),
    confidence: 'proven',
    summary: `Autoscaler ${name} runs ${min} to ${max} managers of ${target.name}: each one that it removes leaves its jobs.`,
    evidence: [
      evidenceOf(snapshot.cluster.autoscalers, `${target.kind} ${target.name}: ${min} to ${max} replicas`),
    ],
    nextAllowedAction: {
      kind: 'person',
      text: 'Set the number of managers by hand and the number of jobs by concurrent; or give managers the time that their longest job needs to end.',
      command: null,
    },
  })
}
