import type { Instant } from '../time.ts'

/** The cost of a call where the forge counts points: a write costs more. */
export const readPoints = 1
export const writePoints = 5

/**
 * Of the forge's points a minute so many are given out steadily, so many at once after a pause; the rest is recovery's,
 * which never waits for them. A bucket of 100 that fills at 660 a minute, and leases of 5 s, come to 815 in any
 * minute of GitHub's 900.
 */
const steadyShare = 660 / 900
const burstShare = 100 / 900
/** Processes take points from the ledger by the chunk, never one by one. */
const chunkShare = 20 / 900
/** Points that were taken and not used within this time are void: else they would come on top of later ones. */
export const leaseMs = 5_000

export interface PointPace {
  readonly msPerPoint: number
  /** How far ahead of the steady pace points may be taken. */
  readonly burstMs: number
  readonly chunkPoints: number
}

/** How points are given out under a limit of so many a minute. */
export function pointPaceOf(perMinute: number): PointPace {
  const msPerPoint = 60_000 / (perMinute * steadyShare)
  const chunkPoints = Math.max(writePoints, Math.round(perMinute * chunkShare))
  return { msPerPoint, chunkPoints, burstMs: Math.max(perMinute * burstShare, chunkPoints) * msPerPoint }
}

const prefix = 'forge points'

/** Where the ledger keeps up to when an account's points are given out; its name says the limit. */
export function pointCursor(perMinute: number, account: string): string {
  return `${prefix} ${perMinute} ${account}`
}

export const pointCursors = `${prefix} `

/** The forge's limit that keeps mints waiting, and until when the next is due. */
export interface ForgeLimit {
  readonly perMinute: number
  readonly until: Instant
}

/** Null: points are left. `behind`: jobs that go before the one that is asked about. */
export function forgeLimitOf(
  cursors: ReadonlyMap<string, Instant>,
  now: Instant,
  behind: number,
): ForgeLimit | null {
  for (const [name, givenUntil] of cursors) {
    const perMinute = Number(name.slice(pointCursors.length).split(' ')[0])
    if (!(perMinute > 0)) continue
    const { msPerPoint, burstMs, chunkPoints } = pointPaceOf(perMinute)
    const freeMs = now + burstMs - givenUntil
    if (freeMs >= (chunkPoints + writePoints) * msPerPoint) continue
    return { perMinute, until: now + (behind + 1) * writePoints * msPerPoint }
  }
  return null
}
