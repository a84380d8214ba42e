import { quantityText } from '../../quantity.ts'
import {
  type ContainerSpecFact,
  isWhole,
  type LimitRangeFact,
  type PodFact,
  type RunnerFact,
  type ScaleSetFact,
} from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import { type DeclaredLane, placeText } from '../contract/contract.ts'
import type { Finding, FindingEvidence } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, subjectOf } from '../judging.ts'
import { laneFinder } from '../lane-of-set.ts'
import { differsFromSpec, newestGeneration } from '../runtime/generation.ts'
import { effectiveLimitDrift } from './classes.ts'

/** The resources whose limits end a runner, or slow it down. */
const resources = ['memory', 'cpu', 'ephemeral-storage'] as const

/** One limit that is not what its source says. */
interface Drift {
  readonly container: string
  readonly resource: string
  readonly live: number | null
  readonly expected: number | null
  /** `template` may be a rollover that has only begun; the others leave no other reading. */
  readonly from: 'contract' | 'limit-range' | 'template'
  readonly source: string
}

/** Sets whose live pods have other limits than template or contract. Pods of older generations are left out. */
export function driftedLimits(input: AuditInput): readonly Finding[] {
  // A newer generation that was not read would make an older one look current.
  if (!isWhole(input.snapshot.cluster.runnerSets)) return []
  const laneOf = laneFinder(input.contract)
  const ranges = Map.groupBy(input.snapshot.cluster.limitRanges.items, ({ namespace }) => namespace)
  return input.snapshot.cluster.scaleSets.items.flatMap((set) => {
    const drifts = new Map<string, { drift: Drift; pods: number }>()
    const lane = laneOf(set)
    for (const pod of currentPods(input, set)) {
      for (const drift of driftsOf(pod, set, lane, ranges.get(set.namespace) ?? [])) {
        const key = JSON.stringify([drift.container, drift.resource, drift.from, drift.live])
        drifts.set(key, { drift, pods: (drifts.get(key)?.pods ?? 0) + 1 })
      }
    }
    return drifts.size === 0 ? [] : [driftFinding(input, set, [...drifts.values()])]
  })
}

function currentPods({ joins }: AuditInput, set: ScaleSetFact): readonly PodFact[] {
  const newest = newestGeneration(set, joins.generationsBySet.get(keyOf(set)) ?? [])
  const isCurrent = ({ runnerSet }: RunnerFact): boolean =>
    set.origin === 'holdfast' || (newest !== null && runnerSet?.name === newest.name)
  return (joins.runnersBySet.get(keyOf(set)) ?? []).flatMap((runner) => {
    const pod = joins.podByKey.get(keyOf(runner))
    if (pod === undefined || pod.phase === 'Succeeded' || pod.phase === 'Failed') return []
    const images = Object.fromEntries(pod.containers.map(({ name, image }) => [name, image]))
    return isCurrent(runner) && !differsFromSpec(images, set) ? [pod] : []
  })
}

function driftsOf(
  { containers }: PodFact,
  { template }: ScaleSetFact,
  lane: DeclaredLane | null,
  ranges: readonly LimitRangeFact[],
): readonly Drift[] {
  return containers.flatMap((container) => {
    const inTemplate = template.containers.find(({ name }) => name === container.name)
    // A container that something injected has no source here.
    if (inTemplate === undefined) return []
    const declared = lane?.containers.find(({ name }) => name === container.name)?.limits ?? {}
    return resources.flatMap((resource) => {
      const live = container.limits[resource] ?? null
      const place = lane === null ? null : placeText(lane, 'containers')
      const expected = declared[resource]
      if (expected !== undefined && live !== expected) {
        const source = `the contract${place === null ? '' : ` (${place})`}`
        return [{ container: container.name, resource, live, expected, from: 'contract' as const, source }]
      }
      return expected === undefined ? templateDrift(container, inTemplate, resource, ranges) : []
    })
  })
}

function templateDrift(
  { name, limits }: ContainerSpecFact,
  inTemplate: ContainerSpecFact,
  resource: string,
  ranges: readonly LimitRangeFact[],
): readonly Drift[] {
  const live = limits[resource] ?? null
  const expected = inTemplate.limits[resource] ?? null
  if (live === expected) return []
  const range = ranges.find((each) =>
    each.limits.some(({ type, defaultLimits }) => type === 'Container' && defaultLimits[resource] === live),
  )
  const shared = { container: name, resource, live, expected }
  return expected === null && range !== undefined
    ? [{ ...shared, from: 'limit-range', source: `the template; the LimitRange ${range.name} filled it in` }]
    : [{ ...shared, from: 'template', source: 'the template' }]
}

function driftFinding(
  { snapshot }: AuditInput,
  set: ScaleSetFact,
  drifts: readonly { readonly drift: Drift; readonly pods: number }[],
): Finding {
  const isOnlyFilledIn = drifts.every(({ drift }) => drift.from === 'limit-range')
  return findingOf(effectiveLimitDrift, {
    severity: isOnlyFilledIn ? 'notice' : 'warning',
    subject: subjectOf('scale-set', set),
    confidence: drifts.some(({ drift }) => drift.from !== 'template') ? 'proven' : 'likely',
    summary: `Pods of ${set.name} run with other limits than their source says.`,
    evidence: drifts.map(({ drift, pods }) => driftWords(snapshot.cluster.pods, drift, pods)),
    nextAllowedAction: {
      kind: 'person',
      text: 'Find why the limit does not reach the pods (a misplaced key, a LimitRange, a webhook), and correct the source.',
      command: null,
    },
  })
}

function driftWords(
  listing: Parameters<typeof evidenceOf>[0],
  { container, resource, live, expected, source }: Drift,
  pods: number,
): FindingEvidence {
  const amount = (value: number | null): string => (value === null ? 'none' : quantityText(resource, value))
  return evidenceOf(
    listing,
    `${container}: ${resource} limit ${amount(live)} in ${pods} pods, ${amount(expected)} by ${source}`,
  )
}
