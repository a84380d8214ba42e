import { createHash } from 'node:crypto'
import type { Clock, Instant } from '../../../ports/clock.ts'
import type { Identity } from '../../../ports/identity.ts'
import type { ReviewToken, VerifyToken } from '../client/index.ts'
import { type BoundPod, boundPod, type Expected } from './bound-pod.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { tokenEndMs } from './token-end.ts'

/** How long a review is valid where the pod is not watched: so long a deleted one is still accepted. */
const reviewValidMs = 60_000
/** Where the pod is seen; also bounded by the token's own end. */
const watchedValidMs = 60 * 60_000
/** A refusal may be about a token that becomes good at once, and a flood of one bad token costs one review. */
const refusedMs = 5_000
/** Not at the very end of a token: clocks differ. */
const tokenEndMarginMs = 5_000
/** Two tokens for each of 10,000 pods. */
const rememberedMax = 20_000
/**
 * Who comes with ever new tokens costs the API server no more than this at a time. Each has its connection, whose
 * handshake and buffers cost more than the review.
 */
const reviewsMax = 16
/** A fleet that starts at once stands in line for some tenths of a second. */
const reviewsWaitingMax = 10_000
/** Less than pollers wait for their answer. */
const reviewWaitMaxMs = 15_000

export interface PodIdentityOptions extends Expected {
  readonly cluster: { readonly reviewToken: ReviewToken }
  /** Judges a token without asking anybody; unset: every token is reviewed. */
  readonly verify?: VerifyToken
  readonly clock: Pick<Clock, 'now'>
  /** Whether a view that is up to date shows exactly this pod now. Unset: nobody watches. */
  readonly isSeen?: (pod: BoundPod) => boolean
}

interface Known {
  /** Null: the token proves nothing. */
  readonly pod: BoundPod | null
  readonly reviewedAt: Instant
  readonly endsAt: Instant
  /** Since it was seen once, not to be seen is news. */
  wasSeen: boolean
}

/** Runners prove who they are by their pod's token: see docs/design/pod-trust.md. */
export function createPodIdentity(options: PodIdentityOptions): Identity {
  const { cluster, clock, namespace, audience } = options
  const isSeen = options.isSeen ?? (() => false)
  const known = new Map<string, Known>()
  const underWay = new Map<string, Promise<Known>>()
  const gate = createConcurrencyLimit({
    subject: 'token reviews',
    atOnceMax: reviewsMax,
    waitingMax: reviewsWaitingMax,
    clock,
    waitMaxMs: reviewWaitMaxMs,
  })
  // One review serves all who wait for it, so none of them ends it: it ends by its own deadline.
  const never = new AbortController().signal

  async function ask(key: string, token: string): Promise<Known> {
    const reviewedAt = clock.now()
    // The API server takes a token for a while after its pod is gone: until the pod is seen again, ask each time.
    const wasSeen = known.get(key)?.wasSeen ?? false
    const review = await gate(() => cluster.reviewToken(token, audience, never))
    const pod = boundPod(review, { namespace, audience })
    const endsAt = (tokenEndMs(token) ?? reviewedAt + reviewValidMs) - tokenEndMarginMs
    const result = { pod, reviewedAt, endsAt, wasSeen: wasSeen || (pod !== null && isSeen(pod)) }
    known.delete(key)
    known.set(key, result)
    for (const oldest of known.keys()) {
      if (known.size <= rememberedMax) break
      known.delete(oldest)
    }
    return result
  }

  /** Whether what was reviewed before still holds. */
  function holds(entry: Known): boolean {
    const { pod, reviewedAt, endsAt } = entry
    const ageMs = clock.now() - reviewedAt
    if (ageMs < 0) return false // the clock was set back
    if (pod === null) return ageMs < refusedMs
    if (clock.now() >= endsAt) return false
    if (isSeen(pod)) {
      entry.wasSeen = true
      return ageMs < watchedValidMs
    }
    return !entry.wasSeen && ageMs < reviewValidMs
  }

  function reviewOnce(key: string, token: string): Promise<Known> {
    const running = underWay.get(key)
    if (running !== undefined) return running
    const started = ask(key, token).finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }

  /**
   * The pod of a token that needs no review: one of ours under the API server's signature, which is seen now. What only
   * a review shows (that the pod is gone) the view shows as well; a token that proves nothing is not worth one either.
   */
  async function onTheSpot(token: string): Promise<{ readonly pod: BoundPod | null } | null> {
    const verdict = await options.verify?.(token, audience)
    if (verdict === undefined || verdict.kind === 'unsure') return null
    const pod = verdict.kind === 'refused' ? null : boundPod(verdict.review, { namespace, audience })
    return pod === null || isSeen(pod) ? { pod } : null
  }

  async function reviewed(token: string): Promise<{ readonly pod: BoundPod | null }> {
    const key = digest(token)
    const before = known.get(key)
    return before !== undefined && holds(before) ? before : reviewOnce(key, token)
  }

  return {
    provesName: true,
    async of(runner, token, signal) {
      const { pod } = await until(
        signal,
        onTheSpot(token).then((found) => found ?? reviewed(token)),
      )
      if (pod === null || pod.name !== runner) return null
      return digest(`${namespace}/${pod.name}/${pod.uid}`)
    },
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Waits no longer than who asks does. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    const leave = (): void => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
