import { pointPaceOf, writePoints } from '../domain/queue/index.ts'

/** How many mints are under way at once where the forge counts points: a claim that waits for its mint runs out. */
export interface MintGate {
  /** 0: go, and leave afterwards; else ask again after so long, and claim nothing meanwhile. */
  enter(): number
  leave(): void
}

/** Mints of so long a time are let in together. */
const letInMs = 2_500
const askAgainMs = 1_000

/** Null: no limit by points, and everybody goes. */
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
