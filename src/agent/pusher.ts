import type { HostRing } from '../domain/death/index.ts'
import type { Clock, Instant } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { RingPush } from '../ports/host-agent.ts'
import type { Log } from '../ports/log.ts'

const RETRY_FIRST_MS = 1_000
const RETRY_LONGEST_MS = 60_000
/** What the server asks for is done, up to here. */
const RETRY_ASKED_MAX_MS = 10 * 60_000

export interface PusherDeps {
  readonly clock: Clock
  readonly entropy: Pick<Entropy, 'fraction'>
  readonly log: Log
  readonly push: RingPush
  /** A pod's ring as it is now; null where it is not known any more. */
  readonly ringOf: (podUid: string) => HostRing | null
  /** It arrived, or is not wanted. */
  readonly onSettled: (podUid: string, ring: HostRing, isWanted: boolean) => void
}

export interface Pusher {
  /** Pushes this pod's ring soon; asked for twice before its turn, it goes once. */
  want(podUid: string): void
  forget(podUid: string): void
  readonly waiting: number
  /** Since when nothing arrives; null where all is well. */
  readonly failingSince: Instant | null
  run(signal: AbortSignal): Promise<void>
}

/** Brings rings to the server one after another, the longest waiting first, for as long as it takes. */
export function createPusher(deps: PusherDeps): Pusher {
  const { clock, entropy, log } = deps
  const wanted = new Set<string>()
  let wake = (): void => undefined
  let failures = 0
  let failingSince: Instant | null = null

  /** Gives how long to wait before the next. */
  async function pushNext(podUid: string, signal: AbortSignal): Promise<number> {
    wanted.delete(podUid)
    const ring = deps.ringOf(podUid)
    if (ring === null) return 0
    const pushed = await deps.push.push(ring, signal)
    if (pushed.kind === 'failed') {
      wanted.add(podUid)
      failures += 1
      failingSince ??= clock.now()
      const fullMs = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_LONGEST_MS)
      const ownMs = fullMs / 2 + (fullMs / 2) * entropy.fraction()
      const waitMs = Math.max(ownMs, Math.min(pushed.retryAfterMs ?? 0, RETRY_ASKED_MAX_MS))
      log.warn({ podUid, why: pushed.why, waitMs: Math.round(waitMs), waiting: wanted.size }, 'not pushed')
      return waitMs
    }
    failures = 0
    failingSince = null
    if (pushed.kind === 'refused') log.warn({ podUid, why: pushed.why }, 'the server does not want a ring')
    deps.onSettled(podUid, ring, pushed.kind === 'taken')
    return 0
  }

  return {
    want(podUid) {
      wanted.add(podUid)
      wake()
    },
    forget: (podUid) => void wanted.delete(podUid),
    get waiting() {
      return wanted.size
    },
    get failingSince() {
      return failingSince
    },
    async run(signal) {
      const stopped = new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      while (!signal.aborted) {
        const [next] = wanted
        if (next === undefined) {
          await Promise.race([stopped, new Promise<void>((resolve) => (wake = resolve))])
          continue
        }
        const waitMs = await pushNext(next, signal).catch((error: unknown) => {
          if (signal.aborted) return 0
          // A defect, maybe of this ring alone: it comes after those that wait, and they must not wait for it.
          wanted.add(next)
          log.error({ podUid: next, err: error, waiting: wanted.size }, 'a ring could not be pushed')
          return RETRY_FIRST_MS
        })
        if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => undefined)
      }
    },
  }
}
