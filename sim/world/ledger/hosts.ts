import { absenceMs } from '../../../src/domain/recovery/index.ts'
import { isLive } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { HostKind, HostRow } from '../../../src/ports/ledger.ts'
import { filter, type KeptHost, type State } from './state.ts'
import type { Tx } from './transaction.ts'

/** When a host is lost, and after how long without a pause one may say so of others. */
export interface HostBounds {
  readonly lostAfterMs: number
  readonly steadyMs: number
}

/** However short others may be silent, a heartbeat of ours within this is one of now. */
const steadyMsMin = 60_000

export function heartbeat(tx: Tx, { id, kind }: { readonly id: string; readonly kind: HostKind }): void {
  const { state, now } = tx
  const known = state.hosts.get(id)
  const isBack = known === undefined || known.heartbeatAt < now - absenceMs
  state.hosts.set(id, {
    id,
    kind,
    firstSeenAt: known?.firstSeenAt ?? now,
    heartbeatAt: now,
    beatingSince: isBack ? now : known.beatingSince,
    endedAt: null,
  })
}

export function ensureHost({ state, now }: Tx, id: string): void {
  if (state.hosts.has(id)) return
  const times = { firstSeenAt: now, heartbeatAt: now, beatingSince: now }
  state.hosts.set(id, { id, kind: 'unknown', ...times, endedAt: null })
}

export function hosts(state: State, now: Instant, bounds: HostBounds): HostRow[] {
  const rows = [...state.hosts.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return rows.map(({ beatingSince: _since, ...row }) => ({
    ...row,
    isLost: isLost(row, now, bounds),
    liveRunners: liveOn(state, row.id),
  }))
}

export function endLostHosts({ state, now }: Tx, bounds: HostBounds): string[] {
  const over = filter(
    state.hosts,
    (row) => row.endedAt === null && isLost(row, now, bounds) && liveOn(state, row.id) === 0,
  )
  for (const row of over) state.hosts.set(row.id, { ...row, endedAt: now })
  return over.map(({ id }) => id)
}

/** The time of the host's last heartbeat, where it is lost; else null. */
export function hostLostSince(state: State, id: string, now: Instant, bounds: HostBounds): Instant | null {
  const row = state.hosts.get(id)
  return row !== undefined && isLost(row, now, bounds) ? row.heartbeatAt : null
}

/** Whether a host may say of others that they are lost. */
export function isSteady(state: State, id: string, now: Instant, bounds: HostBounds): boolean {
  const mine = state.hosts.get(id)
  if (mine === undefined || mine.beatingSince > now - bounds.steadyMs) return false
  return mine.heartbeatAt >= now - Math.max(bounds.lostAfterMs, steadyMsMin)
}

function isLost(
  { heartbeatAt }: Pick<KeptHost, 'heartbeatAt'>,
  now: Instant,
  { lostAfterMs }: HostBounds,
): boolean {
  return heartbeatAt < now - lostAfterMs
}

function liveOn(state: State, host: string): number {
  return filter(state.runners, (runner) => isLive(runner) && runner.host === host).length
}
