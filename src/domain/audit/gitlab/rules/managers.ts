import { counted } from '../../../format.ts'
import type { AuditInput } from '../../audit.ts'
import type { Finding } from '../../finding.ts'
import { commandWith, evidenceOf, findingOf, subjectOf } from '../../judging.ts'
import { managerUnavailable } from '../classes.ts'
import type { GitlabFleet } from '../fleet.ts'

/** Managers that are wanted, and of which none is available. */
export function unavailableManagers(fleet: GitlabFleet, { snapshot }: AuditInput): readonly Finding[] {
  return fleet.deployments.flatMap((deployment) => {
    const { namespace, name, replicas, available } = deployment
    if (replicas === 0 || available > 0) return []
    return [
      findingOf(managerUnavailable, {
        severity: 'critical',
        subject: subjectOf('deployment', deployment),
        confidence: 'proven',
        summary: `None of ${counted(replicas, 'manager')} of ${name} is available: no new job is taken.`,
        evidence: [
          evidenceOf(
            snapshot.cluster.deployments,
            `Deployment ${namespace}/${name}: 0 of ${replicas} available`,
          ),
        ],
        nextAllowedAction: {
          kind: 'read',
          text: 'See whether its pod waits, and for what.',
          command: commandWith('holdfast audit pending --namespace', namespace),
        },
      }),
    ]
  })
}
