import { isJobPod, runnerOfPod } from '../../../gitlab/index.ts'
import { quantityText } from '../../../quantity.ts'
import type { ContainerSpecFact, PodFact } from '../../../snapshot/index.ts'
import type { AuditInput } from '../../audit.ts'
import type { FindingEvidence } from '../../finding.ts'
import { evidenceOf } from '../../judging.ts'
import { jobLimitDrift, nestedResourceKeys } from '../classes.ts'
import { wordsIn } from '../document.ts'
import { overwriteKey, resourceKeys } from '../keys/resources.ts'
import type { Problem } from '../problem.ts'
import type { TomlRunner } from '../runners.ts'
import { type StatedAmount, statedAmounts } from './amounts.ts'

/** Job pods by the runner that made them, and by namespace: each is one pass. */
export interface LivePods {
  of(runner: TomlRunner): readonly PodFact[]
}

/** Job pods that have not ended, of the runner by its label. */
export function livePods({ snapshot }: AuditInput): LivePods {
  const byRunner = Map.groupBy(
    snapshot.cluster.pods.items.filter((pod) => isJobPod(pod) && isLive(pod)),
    (pod) => runnerOfPod(pod) ?? '',
  )
  return {
    of: ({ label, namespace }) =>
      (label === null ? [] : (byRunner.get(label) ?? [])).filter(
        (pod) => namespace === null || pod.namespace === namespace,
      ),
  }
}

function isLive({ phase }: PodFact): boolean {
  return phase !== 'Succeeded' && phase !== 'Failed'
}

/** Amounts that live job pods do not have, although the file states them and jobs may not ask for others. */
export function driftedAmounts(runner: TomlRunner, live: LivePods, input: AuditInput): readonly Problem[] {
  const { kubernetes } = runner
  if (kubernetes === null) return []
  const pods = live.of(runner)
  return statedAmounts(kubernetes).flatMap((stated) => {
    if (wordsIn(kubernetes, overwriteKey(stated)) !== null) return []
    const others = pods.flatMap((pod) => {
      const found = containerOf(pod, stated)
      const amount = found === null ? stated.amount : amountIn(found, stated)
      return amount === stated.amount ? [] : [{ pod, amount }]
    })
    return others.length === 0 ? [] : [drift(stated, others, pods.length, input)]
  })
}

/** The amount of live job pods instead of an amount that stands at the wrong place. */
export function liveInstead(
  problem: Problem,
  runners: readonly TomlRunner[],
  live: LivePods,
  { snapshot }: AuditInput,
): readonly FindingEvidence[] {
  const runner = runners.findLast(({ table }) => table.line < problem.line)
  const [pod] = runner === undefined ? [] : live.of(runner)
  if (pod === undefined) return []
  return meantKeys(problem).flatMap((stated) => {
    const found = containerOf(pod, stated)
    if (found === null) return []
    const text = amountText(stated.resource, amountIn(found, stated))
    const words = `${stated.of} has a ${stated.resource} ${stated.bound} of ${text}`
    return [evidenceOf(snapshot.cluster.pods, `${pod.namespace}/${pod.name}: ${words}`)]
  })
}

/** The keys that somebody meant to set; in a table that nobody reads, both limits of the build. */
function meantKeys({ class: { name }, path }: Problem): readonly (typeof resourceKeys)[number][] {
  const key = path.split('.').at(-1) ?? ''
  const meant = name === nestedResourceKeys.name ? ['cpu_limit', 'memory_limit'] : [key]
  return resourceKeys.filter((each) => meant.includes(each.key))
}

/** Only `build` and `helper` have fixed names. */
function containerOf({ containers }: PodFact, { of }: Pick<StatedAmount, 'of'>): ContainerSpecFact | null {
  return containers.find(({ name, isInit }) => name === of && !isInit) ?? null
}

/** The amount that a live container has; null: none. */
export function amountIn(
  { limits, requests }: ContainerSpecFact,
  { bound, resource }: Pick<StatedAmount, 'bound' | 'resource'>,
): number | null {
  return (bound === 'limit' ? limits : requests)[resource] ?? null
}

function drift(
  stated: StatedAmount,
  others: readonly { readonly pod: PodFact; readonly amount: number | null }[],
  count: number,
  { snapshot }: AuditInput,
): Problem {
  const { key, of, resource, bound, text, entry } = stated
  const amounts = [...new Set(others.map(({ amount }) => amountText(resource, amount)))].join(', ')
  const evidence: readonly FindingEvidence[] = [
    evidenceOf(
      snapshot.cluster.pods,
      `${others[0]?.pod.namespace}/${others[0]?.pod.name}: ${of} has a ${resource} ${bound} of ${amountText(resource, others[0]?.amount ?? null)}`,
    ),
    evidenceOf(snapshot.cluster.pods, `so in ${others.length} of ${count} live job pods of this runner`),
  ]
  return {
    class: jobLimitDrift,
    severity: 'warning',
    line: entry.line,
    path: `runners.kubernetes.${key}`,
    confidence: 'likely',
    summary: `${key} is ${text} in the file, and live job pods have ${amounts}.`,
    fix: 'Find out whether the manager has this file (it may be older, or rendered from another source), or what changes its pods.',
    evidence,
  }
}

function amountText(resource: string, amount: number | null): string {
  return amount === null ? 'none' : quantityText(resource, amount)
}
