import { HoldfastError } from '../../domain/errors/index.ts'

/** Counts the calls of one reading. Without the bound, a fleet of many repositories would use up a credential. */
export interface CallCount {
  /** Before each call; throws E_FORGE_UNAVAILABLE above the bound. */
  spend(call: string): void
  answered(bytes: number): void
  requests(): number
  bytes(): number
  isUsedUp(): boolean
  /** The bound in words. */
  bound(): string
  /** Lowers the bound. */
  atMost(calls: number, why: string): void
}

export function createCallCount(callsMax: number): CallCount {
  let requests = 0
  let received = 0
  let bound = callsMax
  let reason = `a snapshot may cost ${callsMax} calls`
  return {
    spend(call) {
      if (requests >= bound) throw new HoldfastError('E_FORGE_UNAVAILABLE', { call, why: reason })
      requests += 1
    },
    answered(bytes) {
      received += bytes
    },
    requests: () => requests,
    bytes: () => received,
    isUsedUp: () => requests >= bound,
    bound: () => reason,
    atMost(calls, why) {
      if (calls >= bound) return
      bound = calls
      reason = why
    },
  }
}
