import { type BackOff, backOffMs } from '../domain/back-off/index.ts'
import type { HostSamples } from '../domain/death/index.ts'
import type { Clock, Instant } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { RingPush } from '../ports/host-agent.ts'
import type { Log } from '../ports/log.ts'

const retryBackOff: BackOff = { baseMs: 1_000, capMs: 60_000 }
/** The bound of the server's Retry-After. */
const retryAskedMaxMs = 10 * 60_000

export interface PusherDeps {
  readonly clock: Clock
  readonly entropy: Pick<Entropy, 'fraction'>
  readonly log: Log
  readonly push: RingPush
  /** The present ring of a pod; null where the pod is unknown. */
  readonly ringOf: (podUid: string) => HostSamples | null
  /** Called when a ring arrived or was refused. */
  readonly onSettled: (podUid: string, ring: HostSamples, isWanted: boolean) => void
}

export interface Pusher {
  /** Enqueues a push of this pod's ring; one that waits already is not added twice. */
  want(podUid: string): void
  forget(podUid: string): void
  readonly waiting: number
  /** The time of the first failure in a row; null where pushes succeed. */
  readonly failingSince: Instant | null
  run(signal: AbortSignal): Promise<void>
}

/** Pushes rings to the server one after another, the longest waiting first, with unlimited retries. */
export function createPusher(deps: PusherDeps): Pusher {
  const { clock, entropy, log } = deps
  const wanted = new Set<string>()
  let wake = (): void => undefined
  let failures = 0
  let failingSince: Instant | null = null

  /** Returns the wait before the next push. */
  async function pushNext(podUid: string, signal: AbortSignal): Promise<number> {
    wanted.delete(podUid)
    const ring = deps.ringOf(podUid)
    if (ring === null) return 0
    const pushed = await deps.push.push(ring, signal)
    if (pushed.kind === 'failed') {
      wanted.add(podUid)
      failures += 1
      failingSince ??= clock.now()
      const ownMs = backOffMs(retryBackOff, failures, entropy.fraction())
      const waitMs = Math.max(ownMs, Math.min(pushed.retryAfterMs ?? 0, retryAskedMaxMs))
      log.warn({ podUid, why: pushed.why, waitMs: Math.round(waitMs), waiting: wanted.size }, 'not pushed')
      return waitMs
    }
    failures = 0
    failingSince = null
    if (pushed.kind === 'refused') log.warn({ podUid, why: pushed.why }, 'the server refused a ring')
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
          // A defect, maybe of this ring alone: it is enqueued last, so that the others do not wait for it.
          wanted.add(next)
          log.error({ podUid: next, err: error, waiting: wanted.size }, 'a ring could not be pushed')
          return retryBackOff.baseMs
        })
        if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => undefined)
      }
    },
  }
}
