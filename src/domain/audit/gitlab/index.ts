import { livingManagers, oldestStart } from '../../gitlab/index.ts'
import type { Audit, AuditInput } from '../audit.ts'
import type { Unjudged } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import {
  autoscalerTargetMissing,
  concurrencyAboveQuota,
  evidenceCleaner,
  gitlabClasses,
  managerAutoscaled,
  managerUnavailable,
  orphanedJobNamespace,
  orphanedJobPods,
  tokenInvalid,
  tokenSecretMissing,
  tokenStaleInPod,
} from './classes.ts'
import { type GitlabFleet, gitlabFleet } from './fleet.ts'
import { autoscalerFindings } from './rules/autoscalers.ts'
import { cleaners } from './rules/cleaners.ts'
import { unavailableManagers } from './rules/managers.ts'
import { isWholeFleet, orphanedNamespaces, orphanedPods } from './rules/orphans.ts'
import { quotaFindings } from './rules/quota.ts'
import { tokenFindings } from './rules/token.ts'
import { managerTable } from './table.ts'

/** GitLab Runner in the cluster: its managers, their tokens, and what their jobs leave behind. */
export const gitlab: Audit = {
  name: 'gitlab',
  title: 'GitLab Runner: managers, tokens, autoscalers, orphans and cleaners',
  classes: gitlabClasses,
  judge(input) {
    const fleet = gitlabFleet(input.snapshot)
    return {
      findings: [
        ...unavailableManagers(fleet, input),
        ...tokenFindings(fleet, input),
        ...autoscalerFindings(fleet, input),
        ...quotaFindings(fleet, input),
        ...orphanedPods(fleet, input),
        ...orphanedNamespaces(input),
        ...cleaners(fleet, input),
      ],
      unjudged: [...unreadParts(input), ...unaskedParts(fleet, input)],
      tables: fleet.managers.length === 0 ? [] : [managerTable(fleet, input)],
    }
  },
}

/** All classes rest on the managers and job pods that are seen, and each on lists of its own. */
function unreadParts({ snapshot }: AuditInput): readonly Unjudged[] {
  const { pods, deployments, events, logs, secrets, autoscalers, quotas, namespaces, cronJobs } =
    snapshot.cluster
  const byPods = gitlabClasses.filter((each) => each !== managerUnavailable)
  return [
    ...unjudgedBy(byPods, pods),
    ...unjudgedBy(
      [
        managerUnavailable,
        autoscalerTargetMissing,
        managerAutoscaled,
        concurrencyAboveQuota,
        evidenceCleaner,
      ],
      deployments,
    ),
    ...unjudgedBy([tokenSecretMissing], events),
    ...unjudgedBy([tokenInvalid], logs),
    ...unjudgedBy([tokenStaleInPod], secrets),
    ...unjudgedBy([autoscalerTargetMissing, managerAutoscaled, concurrencyAboveQuota], autoscalers),
    ...unjudgedBy([concurrencyAboveQuota], quotas),
    ...unjudgedBy([orphanedJobNamespace], namespaces),
    ...unjudgedBy([evidenceCleaner], cronJobs),
  ]
}

function unaskedParts(
  { managers, jobPods }: GitlabFleet,
  { snapshot, gitlabConfig }: AuditInput,
): readonly Unjudged[] {
  const isStartUnknown = oldestStart(livingManagers(managers)) === 'unknown'
  const isPart = jobPods.length > 0 && (!isWholeFleet(snapshot) || isStartUnknown)
  const isUnfiled = managers.length > 0 && (gitlabConfig ?? null) === null
  return [
    ...(isPart
      ? [orphanedJobPods, orphanedJobNamespace].map(({ name }) => ({
          class: name,
          why: isStartUnknown
            ? 'a manager is starting: how long it was there before is not known'
            : 'managers may stand where nothing was read',
          needs: isStartUnknown ? null : 'a snapshot of the whole cluster',
        }))
      : []),
    ...(isUnfiled
      ? [
          {
            class: concurrencyAboveQuota.name,
            why: 'how many jobs a manager takes at once stands in its config.toml',
            needs: '--file config.toml',
          },
        ]
      : []),
  ]
}
