import { parseQuantity, quantityText } from '../../../quantity.ts'
import type { QuotaFact } from '../../../snapshot/index.ts'
import type { AuditInput } from '../../audit.ts'
import type { Finding } from '../../finding.ts'
import { wordsIn } from '../../gitlab-toml/document.ts'
import { concurrentIn } from '../../gitlab-toml/rules/concurrency.ts'
import { runnersIn, type TomlRunner } from '../../gitlab-toml/runners.ts'
import { evidenceOf, findingOf, subjectOf } from '../../judging.ts'
import { concurrencyAboveQuota } from '../classes.ts'
import type { GitlabFleet } from '../fleet.ts'

/** A resource of a quota, and the keys of config.toml that one job's pod takes from it. */
const taken: Readonly<Record<string, readonly string[]>> = {
  'requests.cpu': ['cpu_request', 'helper_cpu_request'],
  cpu: ['cpu_request', 'helper_cpu_request'],
  'requests.memory': ['memory_request', 'helper_memory_request'],
  memory: ['memory_request', 'helper_memory_request'],
  'limits.cpu': ['cpu_limit', 'helper_cpu_limit'],
  'limits.memory': ['memory_limit', 'helper_memory_limit'],
}

/** Managers × concurrent jobs against the quota of the namespace in which the file's runners make pods. */
export function quotaFindings(fleet: GitlabFleet, input: AuditInput): readonly Finding[] {
  const config = input.gitlabConfig ?? null
  if (config === null || config.root === null) return []
  const replicas = replicasOf(fleet, input)
  const concurrent = concurrentIn(config.root)
  const runners = runnersIn(config)
  return input.snapshot.cluster.quotas.items.flatMap((quota) => {
    const own = runners.filter(({ namespace }) => namespace === quota.namespace)
    // Several runners share the slots: how many jobs each has is not known.
    const [runner, ...others] = own
    if (runner === undefined || others.length > 0 || quota.isScoped || replicas === 0) return []
    return aboveQuota(quota, runner, replicas * concurrent, { replicas, concurrent }, input)
  })
}

/** The most managers that may run at once: by their autoscalers, else as many as are wanted. */
function replicasOf({ deployments }: GitlabFleet, { snapshot }: AuditInput): number {
  return deployments.reduce((sum, { namespace, name, replicas }) => {
    const autoscaler = snapshot.cluster.autoscalers.items.find(
      (each) => each.namespace === namespace && each.target.name === name,
    )
    return sum + Math.max(replicas, autoscaler?.max ?? 0)
  }, 0)
}

function aboveQuota(
  quota: QuotaFact,
  { title, kubernetes }: TomlRunner,
  jobs: number,
  { replicas, concurrent }: { readonly replicas: number; readonly concurrent: number },
  { snapshot }: AuditInput,
): readonly Finding[] {
  const lacking = Object.entries(quota.hard).flatMap(([resource, hard]) => {
    const keys = taken[resource] ?? []
    const each =
      resource === 'pods'
        ? 1
        : keys.reduce(
            (sum, key) => sum + (kubernetes === null ? 0 : (parseQuantity(wordsIn(kubernetes, key)) ?? 0)),
            0,
          )
    const wanted = jobs * each
    const kind = resource.replace(/^(?:requests|limits)\./, '')
    if (wanted <= hard) return []
    return [
      `${resource}: ${jobs} jobs take ${quantityText(kind, wanted)}, the quota has ${quantityText(kind, hard)}`,
    ]
  })
  if (lacking.length === 0) return []
  return [
    findingOf(concurrencyAboveQuota, {
      severity: 'warning',
      subject: subjectOf('quota', quota),
      // The managers may belong to another file.
      confidence: 'likely',
      summary: `${title} may run ${jobs} jobs at once (${replicas} × concurrent ${concurrent}), more than quota ${quota.name} has room for.`,
      evidence: lacking.map((text) => evidenceOf(snapshot.cluster.quotas, text)),
      nextAllowedAction: {
        kind: 'person',
        text: 'Lower concurrent or the number of managers, or raise the quota where the nodes have room.',
        command: null,
        raises: 'room',
      },
    }),
  ]
}
