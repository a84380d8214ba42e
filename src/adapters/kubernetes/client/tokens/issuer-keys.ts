import { isError } from '../../../../domain/errors/index.ts'
import type { Clock, Instant } from '../../../../ports/clock.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Issuer, ReadIssuer } from './issuer.ts'

/** A key that the API server withdrew is accepted no longer than this, where the API server can be asked. */
const keysMs = 5 * 60_000
/** Where it cannot, the keys stay as they are for so long: what it does not say it did not withdraw. */
const keysKeptMs = 60 * 60_000
/** Invented key ids make us read no more often than this. */
const rereadMs = 10_000
/** How often it is tried again where discovery is closed to us. */
const closedMs = 5 * 60_000

export interface IssuerKeys {
  /** As last read, and read again where that is too long ago; null: discovery is closed to us. */
  current(): Promise<Issuer | null>
  /** Read again because of a key that nobody knows, at a bounded pace; null as above. */
  withNewKeys(): Promise<Issuer | null>
}

export interface IssuerKeysOptions {
  readonly readIssuer: ReadIssuer
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

interface Read {
  readonly issuer: Issuer | null
  readonly at: Instant
}

/** The API server's keys: read when they are first needed, and again at a bounded pace. */
export function createIssuerKeys({ readIssuer, clock, log }: IssuerKeysOptions): IssuerKeys {
  let last: Read | null = null
  let tried: { readonly at: Instant; readonly error: unknown } | null = null
  let underWay: Promise<Issuer | null> | null = null
  // One reading serves all who wait for it, so none of them ends it: it ends by its own deadline.
  const never = new AbortController().signal

  async function read(): Promise<Issuer | null> {
    const at = clock.now()
    try {
      const issuer = await readIssuer(never).catch(closedOrThrow)
      logChange(issuer)
      last = { issuer, at }
      tried = { at, error: null }
      return issuer
    } catch (error) {
      tried = { at, error }
      throw error
    }
  }

  function closedOrThrow(error: unknown): null {
    if (!isClosed(error)) throw error
    if (last?.issuer !== null) {
      const words = 'the keys of tokens may not be read: each pod costs a TokenReview (see deploy/rbac.yaml)'
      log.warn({ err: error }, words)
    }
    return null
  }

  function logChange(issuer: Issuer | null): void {
    if (issuer === null || last?.issuer?.name === issuer.name) return
    const words = "tokens of pods are verified by the API server's keys"
    log.info({ issuer: issuer.name, keys: issuer.keys.size }, words)
  }

  function readOnce(): Promise<Issuer | null> {
    underWay ??= read().finally(() => {
      underWay = null
    })
    return underWay
  }

  /** How long ago it was; for ever, where the clock was set back since. */
  function since(at: Instant | undefined): number {
    const ageMs = at === undefined ? Number.POSITIVE_INFINITY : clock.now() - at
    return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs
  }

  return {
    async current() {
      const ageMs = since(last?.at)
      if (last === null || ageMs >= keysKeptMs) return readOnce()
      const isOld = ageMs >= (last.issuer === null ? closedMs : keysMs)
      if (isOld && since(tried?.at) >= rereadMs) {
        // Nobody waits for it: where the API server hangs, pods that are known go on.
        readOnce().catch((error: unknown) =>
          log.warn({ err: error }, 'the keys of tokens could not be read again'),
        )
      }
      return last.issuer
    },
    async withNewKeys() {
      if (since(tried?.at) >= rereadMs) return readOnce()
      if (tried?.error) throw tried.error
      return last?.issuer ?? null
    },
  }
}

/** Where it is refused, not there, or no set of keys. An API server that does not answer has said nothing. */
function isClosed(error: unknown): boolean {
  return (['E_CLUSTER_REFUSED', 'E_CLUSTER_NOT_FOUND', 'E_CLUSTER_ANSWER'] as const).some((code) =>
    isError(error, code),
  )
}
