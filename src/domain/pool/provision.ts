import { type BackOff, backOffMs } from '../back-off/index.ts'
import type { Pool } from './pool.ts'

/** The requirements on a node before a runner is started on it. */
export interface Place {
  readonly name: string
  readonly isReady: boolean
  readonly isCordoned: boolean
  readonly pressures: readonly string[]
}

/**
 * On how many nodes runners can start. At least one: where there is none, what waits for one makes an autoscaler
 * bring one, and the deadline for what no node takes bounds it.
 */
export function countPlaces(nodes: readonly Place[], avoided: readonly string[]): number {
  const usable = nodes.filter(
    ({ name, isReady, isCordoned, pressures }) =>
      isReady && !isCordoned && pressures.length === 0 && !avoided.includes(name),
  )
  return Math.max(1, usable.length)
}

/** How many more may be booting at a time. `booting` are the ledger's rows: also those that no watch shows yet. */
export function bootingRoom(
  { provisioning }: Pick<Pool, 'provisioning'>,
  places: number,
  booting: number,
): number {
  return Math.max(0, provisioning.maxStartingPerNode * places - booting)
}

/** Gives each no more than it wants and all together no more than there is; who wants little is served first. */
export function shareOut(wants: readonly number[], total: number): readonly number[] {
  const given = wants.map(() => 0)
  let left = total
  const byWant = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want)
  byWant.forEach(({ want, index }, served) => {
    const share = Math.min(want, Math.ceil(left / (byWant.length - served)))
    given[index] = share
    left -= share
  })
  return given
}

const startBackOff: BackOff = { baseMs: 1_000, capMs: 60_000 }

/** How long no runner of a pool is started after so many failures in a row; `fraction` in [0, 1) spreads pools. */
export function startPauseMs(failures: number, fraction: number): number {
  return backOffMs(startBackOff, failures, fraction)
}
