import type { AuditInput } from '../audit.ts'
import type { Finding, Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, subjectOf, unjudgedBy } from '../judging.ts'
import { type Budget, isEmpty, leftText, sharingEvidence } from './budget.ts'
import { patBudgetExhausted } from './classes.ts'
import { setsText } from './credential.ts'
import type { Refusal } from './refusals.ts'

/**
 * A personal token without calls. Proven where its budget was read and is empty; with calls left, or unread, the refusals
 * of the log may be from before the renewal.
 */
export function judgeExhausted(
  budget: Budget,
  { snapshot }: AuditInput,
  refusals: ReadonlyMap<string, Refusal>,
): Finding[] {
  const { shared, kind, latest, isUnlimited } = budget
  const refused = shared.sets.flatMap((set) => refusals.get(keyOf(set)) ?? [])
  const hasEnded = isEmpty(budget, snapshot)
  if (kind !== 'personal-token' || (refused.length === 0 && !hasEnded)) return []
  const { budgets } = snapshot.forge
  return [
    findingOf(patBudgetExhausted, {
      severity: hasEnded ? 'critical' : 'warning',
      subject: subjectOf('credential', shared.ref),
      confidence: hasEnded ? 'proven' : 'likely',
      summary: `The personal token's calls are used up: no registration token for ${setsText(shared.sets)}.`,
      evidence: [
        ...refused
          .slice(0, 1)
          .map(({ log, line }) => evidenceOf(snapshot.cluster.logs, `log of ${keyOf(log.pod)}: ${line}`)),
        latest === null
          ? evidenceOf(budgets, isUnlimited ? 'the forge sets it no limit' : 'its budget was not read')
          : evidenceOf(budgets, leftText(latest), latest.at),
        ...sharingEvidence(shared, snapshot),
      ],
      nextAllowedAction: {
        kind: 'person',
        text: 'Replace the token by a GitHub App that is installed on the target: change the source, apply it for one scale set, and see its listener get a session.',
        command: null,
      },
    }),
  ]
}

/** Without their log, personal tokens that nothing refuses may be refused. */
export function unjudgedExhausted(
  budgets: readonly Budget[],
  { snapshot }: AuditInput,
  refusals: ReadonlyMap<string, Refusal>,
): readonly Unjudged[] {
  const isTokenSilent = ({ shared, kind }: Budget) =>
    kind === 'personal-token' && !shared.sets.some((set) => refusals.has(keyOf(set)))
  return budgets.some(isTokenSilent) ? unjudgedBy([patBudgetExhausted], snapshot.cluster.logs) : []
}
