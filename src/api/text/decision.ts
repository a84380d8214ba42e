import type { ApiDecision } from '../contracts/job-file.ts'

/** The same decision, taken again and again while nothing changed. */
export interface DecisionGroup {
  readonly first: ApiDecision
  readonly count: number
  readonly lastAt: string
  readonly lines: readonly string[]
}

/** Decisions in their order; repetitions of the same one on the same facts stand together. */
export function groupDecisions(decisions: readonly ApiDecision[]): DecisionGroup[] {
  const groups: DecisionGroup[] = []
  for (const decision of decisions) {
    const last = groups.at(-1)
    if (last === undefined || sameness(last.first) !== sameness(decision)) {
      groups.push({ first: decision, count: 1, lastAt: decision.at, lines: factLines(decision) })
    } else {
      groups[groups.length - 1] = { ...last, count: last.count + 1, lastAt: decision.at }
    }
  }
  return groups
}

/** The actions of a decision and their outcome. */
export function decisionText(decision: Pick<ApiDecision, 'actions' | 'outcome'>): string {
  if (decision.outcome !== null) return decision.outcome
  const kinds = decision.actions.map((action) => String(action.kind)).join(', ')
  return `${kinds}: under way, or interrupted before its outcome was kept`
}

/** The facts on which it was decided: what the ledger said, then each other with its source and its age then. */
export function factLines(decision: Pick<ApiDecision, 'facts' | 'at'>): string[] {
  const atMs = Date.parse(decision.at)
  const shown = Object.entries(decision.facts).filter(
    ([, value]) => value !== undefined && value !== null && !isUnread(value),
  )
  const own = shown.filter(([, value]) => !isFact(value)).sort(byName)
  const read = shown.filter(([, value]) => isFact(value)).sort(byName)
  return [...own, ...read].map(([name, value]) => `${name}: ${factText(value, atMs)}`)
}

interface KnownFact {
  readonly known: boolean
  readonly value?: unknown
  readonly readAt?: unknown
  readonly source?: unknown
  readonly why?: unknown
}

function sameness(decision: ApiDecision): string {
  const facts = Object.entries(decision.facts).map(([name, value]) => [
    name,
    isFact(value) ? [value.known, plain(value.value), value.why] : value,
  ])
  return JSON.stringify([decision.rule, decision.outcome, facts])
}

function factText(value: unknown, atMs: number): string {
  if (!isFact(value)) return plain(value)
  if (!value.known) return `unknown (${String(value.why)})`
  const ageMs = typeof value.readAt === 'number' ? Math.max(0, atMs - value.readAt) : undefined
  const age = ageMs === undefined ? '' : `, ${(ageMs / 1000).toFixed(1)} s old`
  return `${plain(value.value)} (${String(value.source)}${age})`
}

function isFact(value: unknown): value is KnownFact {
  return typeof value === 'object' && value !== null && 'known' in value
}

/** A fact that no rule asked for was never read, and says nothing. */
function isUnread(value: unknown): boolean {
  return isFact(value) && !value.known && value.why === 'not read yet'
}

/** Its kind first, whatever the order in which the database keeps it. */
function plain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if ('word' in value && typeof value.word === 'object' && value.word !== null) return wordText(value.word)
  const { kind, ...rest } = value as Record<string, unknown>
  const parts = Object.entries(rest)
    .sort(byName)
    .map(([name, inner]) =>
      typeof inner === 'boolean' ? (inner ? name : `not ${name}`) : `${name} ${plain(inner)}`,
    )
  return [...(kind === undefined ? [] : [String(kind)]), ...parts].join(', ')
}

function wordText(word: object): string {
  const { status, conclusion, runnerName } = word as Record<string, unknown>
  const on = typeof runnerName === 'string' ? ` on ${runnerName}` : ''
  return `${String(status)}${typeof conclusion === 'string' ? ` (${conclusion})` : ''}${on}`
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
