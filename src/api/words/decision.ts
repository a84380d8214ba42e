import type { ApiDecision } from '../contracts/job-file.ts'

/** What a decision did and what came of it. */
export function decisionText(decision: Pick<ApiDecision, 'actions' | 'outcome'>): string {
  if (decision.outcome !== null) return decision.outcome
  const kinds = decision.actions.map((action) => String(action.kind)).join(', ')
  return `${kinds}: under way, or interrupted before its outcome was kept`
}

/** The facts on which it was decided, each with its source and how old it was then. */
export function factLines(decision: Pick<ApiDecision, 'facts' | 'at'>): string[] {
  return Object.entries(decision.facts)
    .filter(([, value]) => value !== undefined && value !== null && !isUnread(value))
    .map(([name, value]) => `${name}: ${factText(value, Date.parse(decision.at))}`)
}

interface KnownFact {
  readonly known: boolean
  readonly value?: unknown
  readonly readAt?: unknown
  readonly source?: unknown
  readonly why?: unknown
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

function plain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if ('word' in value && typeof value.word === 'object' && value.word !== null) return wordText(value.word)
  return Object.entries(value)
    .map(([name, inner]) => (name === 'kind' ? String(inner) : `${name} ${JSON.stringify(inner)}`))
    .join(', ')
}

function wordText(word: object): string {
  const { status, conclusion, runnerName } = word as Record<string, unknown>
  const on = typeof runnerName === 'string' ? ` on ${runnerName}` : ''
  return `${String(status)}${typeof conclusion === 'string' ? ` (${conclusion})` : ''}${on}`
}
