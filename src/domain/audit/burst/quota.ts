import { counted, percent } from '../../format.ts'
import { quantityText } from '../../quantity.ts'
import type { ObjectRef, QuotaFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding, NextAction } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { quotaExceeded } from './classes.ts'
import { type QuotaRefusal, quotaRefusals } from './refusals.ts'

/** From here on, the next few runners may be refused. */
const nearShareMin = 0.9
/** Resources that a runner's pod takes from a quota; others (services, config maps) are of no concern to it. */
const ofPods =
  /^(?:pods|count\/pods|cpu|memory|ephemeral-storage|persistentvolumeclaims|(?:requests|limits)\..+)$/

const next: NextAction = {
  kind: 'read',
  text: 'See whether the quota is the limiter of the label, before it is raised in its source.',
  command: 'holdfast capacity check',
}

interface Tight {
  readonly resource: string
  readonly used: number
  readonly hard: number
}

/**
 * Quotas of namespaces with runners that are used up or nearly so, and scale sets with runners that a quota refuses now,
 * which may happen to a large runner long before that.
 */
export function tightQuotas(input: AuditInput): readonly Finding[] {
  const { quotas, scaleSets } = input.snapshot.cluster
  const fleet = new Set(scaleSets.items.map(({ namespace }) => namespace))
  const ofFleet = quotas.items.filter(({ namespace }) => fleet.has(namespace))
  return [
    ...ofFleet.flatMap((quota) => {
      const tight = tightOf(quota)
      return tight.length === 0 ? [] : [tightFinding(input, quota, tight)]
    }),
    ...refusedSets(input, new Map(ofFleet.map((quota) => [keyOf(quota), quota]))),
  ]
}

function refusedSets(input: AuditInput, quotas: ReadonlyMap<string, QuotaFact>): readonly Finding[] {
  const refused = quotaRefusals(input).flatMap((refusal) => {
    const { namespace, quota: name, runner } = refusal
    const quota = quotas.get(keyOf({ namespace, name }))
    const set = input.joins.runnerByKey.get(keyOf({ namespace, name: runner }))?.scaleSet ?? null
    return quota !== undefined && set !== null && isStillRefused(refusal, quota) ? [{ refusal, set }] : []
  })
  const bySet = Map.groupBy(refused, ({ set }) => keyOf(set))
  return [...bySet.values()].flatMap((group) => {
    const [first] = group
    return first === undefined
      ? []
      : [
          refusedFinding(
            input,
            first.set,
            group.map(({ refusal }) => refusal),
          ),
        ]
  })
}

/** A log is about the past: the quota may have been raised since. */
function isStillRefused({ requested }: QuotaRefusal, { hard, used }: QuotaFact): boolean {
  return Object.entries(requested).some(
    ([resource, amount]) => (used[resource] ?? 0) + amount > (hard[resource] ?? Infinity),
  )
}

function tightOf({ hard, used }: QuotaFact): readonly Tight[] {
  return Object.entries(hard).flatMap(([resource, most]) => {
    const taken = used[resource] ?? 0
    const isTight = most > 0 && ofPods.test(resource) && taken >= most * nearShareMin
    return isTight ? [{ resource, used: taken, hard: most }] : []
  })
}

function tightFinding({ snapshot }: AuditInput, quota: QuotaFact, tight: readonly Tight[]): Finding {
  const { quotas } = snapshot.cluster
  const isFull = tight.some(({ used, hard }) => used >= hard)
  return findingOf(quotaExceeded, {
    severity: 'notice',
    subject: subjectOf('quota', quota),
    confidence: quota.isScoped ? 'likely' : 'proven',
    summary: `The quota ${quota.name} of ${quota.namespace} is ${isFull ? '' : 'nearly '}used up.`,
    evidence: [
      ...tight.map((each) => evidenceOf(quotas, tightWords(each))),
      ...(quota.isScoped ? [evidenceOf(quotas, 'it has scopes: it counts some pods only')] : []),
    ],
    nextAllowedAction: next,
  })
}

function refusedFinding(
  { snapshot }: AuditInput,
  set: ObjectRef,
  refusals: readonly QuotaRefusal[],
): Finding {
  const { runners, logs } = snapshot.cluster
  return findingOf(quotaExceeded, {
    severity: 'warning',
    subject: subjectOf('scale-set', set),
    confidence: 'proven',
    summary: `A quota keeps ${counted(refusals.length, 'runner')} of ${set.name} from having a pod.`,
    evidence: [
      evidenceOf(runners, `without a pod: ${someOf(refusals.map(({ runner }) => runner))}`),
      ...refusals.slice(0, 1).map(({ message }) => evidenceOf(logs, message)),
    ],
    nextAllowedAction: next,
  })
}

function tightWords({ resource, used, hard }: Tight): string {
  return `${resource}: ${quantityText(resource, used)} of ${quantityText(resource, hard)} (${percent(used / hard)})`
}
