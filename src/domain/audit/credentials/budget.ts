import { durationText } from '../../format.ts'
import type {
  CredentialBudgetFact,
  CredentialKind,
  LimitedBudgetFact,
  Snapshot,
} from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { clockText, evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { budgetWillRunOut } from './classes.ts'
import { credentialName, type SharedCredential, setsText } from './credential.ts'
import { type Forecast, forecast } from './forecast.ts'

/** The budget of a shared credential, as far as it is known. */
export interface Budget {
  readonly shared: SharedCredential
  /** By the Secret's keys, or where that was not read by the forge's answer. */
  readonly kind: CredentialKind
  /** Null where it was not read, and where the forge sets no limit. */
  readonly latest: LimitedBudgetFact | null
  readonly isUnlimited: boolean
  readonly forecast: Forecast | null
}

/** The newest reading of each credential, with where its rate of use leads. */
export function budgetsOf(
  groups: readonly SharedCredential[],
  { snapshot, earlier }: AuditInput,
): readonly Budget[] {
  const now = newestByCredential(snapshot)
  const before = earlier ? newestByCredential(earlier) : new Map<string, CredentialBudgetFact>()
  return [...groups, ...withoutSets(now, groups)].map((shared) => {
    const names = shared.members.map(({ ref }) => credentialName(ref))
    const reading = newest(names.flatMap((name) => now.get(name) ?? []))
    const previous = limitedOf(newest(names.flatMap((name) => before.get(name) ?? [])))
    const kind = shared.kind === 'unknown' ? (reading?.kind ?? 'unknown') : shared.kind
    const latest = limitedOf(reading)
    const isUnlimited = reading !== null && latest === null
    return {
      shared,
      kind,
      latest,
      isUnlimited,
      forecast: latest === null ? null : forecast(latest, previous),
    }
  })
}

/** Whether a credential has no call left now. */
export function isEmpty({ latest }: Budget, { takenAt }: Snapshot): boolean {
  return latest !== null && latest.remaining === 0 && latest.resetAt > takenAt
}

/** Budgets that end before they are renewed, and those of GitHub Apps that have ended; an empty personal token has a class of its own. */
export function judgeBudget(budget: Budget, { snapshot }: AuditInput): Finding[] {
  const { shared, kind, latest, forecast: ahead } = budget
  if (latest === null || latest.resetAt <= snapshot.takenAt) return []
  const hasEnded = isEmpty(budget, snapshot)
  const emptyAt = ahead?.emptyAt ?? null
  if (hasEnded ? kind !== 'app' : emptyAt === null) return []
  const renewed = `renewed at ${clockText(latest.resetAt)}`
  const { budgets } = snapshot.forge
  return [
    findingOf(budgetWillRunOut, {
      severity: hasEnded ? 'critical' : 'warning',
      subject: subjectOf('credential', shared.ref),
      confidence: hasEnded ? 'proven' : 'likely',
      summary: hasEnded
        ? `No calls are left at GitHub for ${setsText(shared.sets)}; the budget is ${renewed}.`
        : `The calls of ${setsText(shared.sets)} end at about ${clockText(emptyAt as number)}, ${durationText(latest.resetAt - (emptyAt as number))} before they are ${renewed}.`,
      evidence: [
        evidenceOf(budgets, leftText(latest), latest.at),
        ...(ahead === null
          ? []
          : [evidenceOf(budgets, `${ahead.perHour} calls an hour, ${ahead.basis}`, latest.at)]),
        ...sharingEvidence(shared, snapshot),
      ],
      nextAllowedAction: {
        kind: 'person',
        text:
          kind === 'personal-token'
            ? "Give these sets a GitHub App of their own: a personal token's budget is its user's, whatever else that user does."
            : 'Spread the sets over several installations, or find what else spends from this one.',
        command: null,
      },
    }),
  ]
}

export function leftText({ remaining, limit, resetAt }: LimitedBudgetFact): string {
  return `${remaining} of ${limit} calls left, renewed at ${clockText(resetAt)}`
}

/** Scale sets and Secrets that the same budget serves. */
export function sharingEvidence({ sets, members }: SharedCredential, { cluster }: Snapshot) {
  return [
    ...(sets.length === 0 ? [] : [evidenceOf(cluster.scaleSets, `used by ${someOf(sets.map(keyOf))}`)]),
    ...(members.length === 1
      ? []
      : [
          evidenceOf(
            cluster.secrets,
            `the same credential by its hash in ${someOf(members.map(({ ref }) => keyOf(ref)))}`,
          ),
        ]),
  ]
}

/** Budgets of credentials that no scale set names: Holdfast's own, and those of sets that were not read. */
function withoutSets(
  now: ReadonlyMap<string, CredentialBudgetFact>,
  groups: readonly SharedCredential[],
): SharedCredential[] {
  const known = new Set(groups.flatMap(({ members }) => members.map(({ ref }) => keyOf(ref))))
  return [...now].flatMap(([credential, { kind }]) => {
    if (known.has(credential)) return []
    const [namespace = '', name] = credential.split('/')
    const ref = name === undefined ? { namespace: '', name: namespace } : { namespace, name }
    return { ref, kind, members: [{ ref, secret: null, kind, sets: [] }], sets: [] }
  })
}

function newestByCredential({ forge }: Snapshot): Map<string, CredentialBudgetFact> {
  const byCredential = Map.groupBy(forge.budgets.items, ({ credential }) => credential)
  return new Map(
    [...byCredential].map(([name, readings]) => [name, newest(readings) as CredentialBudgetFact]),
  )
}

function limitedOf(reading: CredentialBudgetFact | null): LimitedBudgetFact | null {
  return reading === null || reading.limit === null ? null : reading
}

function newest(readings: readonly CredentialBudgetFact[]): CredentialBudgetFact | null {
  return readings.reduce<CredentialBudgetFact | null>(
    (best, reading) => (best === null || reading.at > best.at ? reading : best),
    null,
  )
}
