import { type Incident, incidentTable } from '../../../src/domain/incident/index.ts'
import { isSameName, type Job } from '../../../src/domain/job/index.ts'
import type { NewIncident } from '../../../src/ports/ledger.ts'
import { filter, find, type Hold, type State } from './state.ts'
import { type Tx, wakeJobs } from './transaction.ts'

/** Opens an incident, or notes that it was seen again, and holds its jobs. */
export function openIncident(tx: Tx, incident: NewIncident, holdMs: number): 'opened' | 'known' {
  const { state, now } = tx
  const known = find(state.incidents, isOpenLike(incident))
  const row: Incident = known ?? {
    id: tx.nextId('incidents'),
    ...incident,
    openedAt: now,
    lastSeenAt: now,
    timesSeen: 0,
    closedAt: null,
  }
  const { reason, scope, key } = incident
  state.incidents.set(row.id, { ...row, reason, lastSeenAt: now, timesSeen: row.timesSeen + 1 })
  if (scope === 'repository' || scope === 'account') hold(tx, { key, reason, incidentId: row.id }, holdMs)
  return known === null ? 'opened' : 'known'
}

/** A hold is never shortened by a later failure. */
export function hold(tx: Tx, held: Omit<Hold, 'until'>, durationMs: number): void {
  const { state, now } = tx
  const isSame = ({ key, incidentId }: Hold) => key === held.key && incidentId === held.incidentId
  const before = state.holds.find(isSame)?.until ?? 0
  const until = Math.max(before, now + durationMs)
  state.holds = [...state.holds.filter((other) => !isSame(other)), { ...held, until }]
}

export function liftIncident(tx: Tx, incident: Omit<NewIncident, 'reason'>): 'lifted' | 'none' {
  const open = filter(tx.state.incidents, isOpenLike(incident))
  if (open.length === 0) return 'none'
  closeIncidents(tx, open)
  return 'lifted'
}

function isOpenLike({ kind, installation, scope, key }: Omit<NewIncident, 'reason'>) {
  return (row: Incident): boolean =>
    row.closedAt === null &&
    row.kind === kind &&
    row.installation === installation &&
    row.scope === scope &&
    isSameName(row.key, key)
}

/** A runner could be minted for this job: what would have refused it is over. */
export function disproveIncidents(tx: Tx, { installation, repository, owner }: Job): void {
  const keys = { repository, account: owner, installation, runners: null }
  const disproved = filter(
    tx.state.incidents,
    (row) =>
      row.closedAt === null &&
      row.installation === installation &&
      isSameName(row.key, keys[row.scope] ?? '') &&
      incidentTable[row.kind].isLiftedByMint,
  )
  closeIncidents(tx, disproved)
}

/** Holds and incidents of a repository move with it to its new name. */
export function moveRepository(tx: Tx, installation: string, from: string, to: string): void {
  const { state } = tx
  const isThere = (held: Hold) => state.holds.some((o) => o.key === to && o.incidentId === held.incidentId)
  state.holds = state.holds.map((held) =>
    isSameName(held.key, from) && !isThere(held) ? { ...held, key: to } : held,
  )
  const renamed = filter(
    state.incidents,
    (row) =>
      row.closedAt === null &&
      row.installation === installation &&
      row.scope === 'repository' &&
      isSameName(row.key, from) &&
      find(state.incidents, (o) => isOpenLike({ ...row, key: to })(o) && o.key === to) === null,
  )
  for (const row of renamed) state.incidents.set(row.id, { ...row, key: to })
}

/** They are over, and so are their holds. */
export function closeIncidents(tx: Tx, incidents: readonly Incident[]): void {
  const { state, now } = tx
  for (const row of incidents) state.incidents.set(row.id, { ...row, closedAt: now })
  const ids = new Set<number | null>(incidents.map(({ id }) => id))
  const left = state.holds.filter(({ incidentId }) => !ids.has(incidentId))
  if (left.length === state.holds.length) return
  state.holds = left
  for (const pool of state.pools.keys()) wakeJobs(tx, pool)
}

/** Open ones, and the latest of those that are over. */
export function incidents(state: State, closedLimit: number): Incident[] {
  const open = filter(state.incidents, ({ closedAt }) => closedAt === null)
  const closed = filter(state.incidents, ({ closedAt }) => closedAt !== null)
  closed.sort((a, b) => (b.closedAt as number) - (a.closedAt as number) || b.id - a.id)
  return [...open, ...closed.slice(0, closedLimit)].sort((a, b) => b.openedAt - a.openedAt || b.id - a.id)
}
