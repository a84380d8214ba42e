import { pointPaceOf, writePoints } from '../domain/queue/index.ts'

/** Bounds the mints under way where the forge counts points: a claim that waits too long for its mint expires. */
export interface MintGate {
  /** 0: go, and call `leave` afterwards; otherwise ask again after so many milliseconds, and claim nothing meanwhile. */
  enter(): number
  leave(): void
}

/** As many mints are admitted together as the limit allows in this time. */
const letInMs = 2_500
const askAgainMs = 1_000

/** Null: the forge has no limit by points, and every mint may go. */
export function createMintGate(perMinute: number | null): MintGate {
  if (perMinute === null) return { enter: () => 0, leave: () => undefined }
  const mintMs = pointPaceOf(perMinute).msPerPoint * writePoints
  const atOnceMax = Math.max(1, Math.round(letInMs / mintMs))
  let inside = 0
  return {
    enter() {
      if (inside >= atOnceMax) return askAgainMs
      inside += 1
      return 0
    },
    leave() {
      inside -= 1
    },
  }
}
