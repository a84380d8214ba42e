import type { NamespacedName } from '../../../../ports/cluster.ts'
import type { Entropy } from '../../../../ports/entropy.ts'
import type { Leadership, Term } from '../../../../ports/leadership.ts'
import type { Log } from '../../../../ports/log.ts'
import { createListeners } from '../reflector/listeners.ts'
import type { Transport } from '../transport/send.ts'
import { type Claim, type Lease, leaseCalls } from './lease.ts'
import { beginTerm, type ClockReading, type Clocks, type OwnTerm } from './term.ts'
import { areRightsGone, mayBeTerminating, readTerminatingVersion } from './terminating.ts'

/** How long a lease stands without renewal before others may take it, where nothing else is said. */
const defaultLeaseMs = 15_000
/** Of that, so much its holder relies on: the rest is for requests that are on their way. */
const termShare = 2 / 3
/** A holder may miss three renewals. */
const renewShare = 1 / 5
/** Two calls that hang leave time for a third within a term. */
const timeoutShare = 4 / 15
const retryShare = 1 / 15
/** A look at the namespace goes with each renewal, and must not cost one. */
const lookShare = 2 / 15
const stopping = 'this process is stopping'

export interface ElectorOptions {
  readonly lease: NamespacedName
  /** Unlike that of any other process, also of an earlier one on this machine. */
  readonly identity: string
  /** How long a lease stands without renewal before others may take it, in whole seconds. */
  readonly leaseMs?: number | undefined
}

export interface ElectorDeps extends Clocks {
  /** A single try each: a late renewal is worth nothing. */
  readonly transport: Transport
  readonly entropy: Pick<Entropy, 'fraction'>
  readonly log: Log
}

export interface Elector extends Leadership {
  /**
   * Stands for election until the signal is aborted, then gives the lease back so that another may begin at once:
   * all work under a term must have ended before.
   */
  run(signal: AbortSignal): Promise<void>
}

/** Leads by a Lease: one holder at a time, and a token that grows with every term. */
export function createElector(options: ElectorOptions, deps: ElectorDeps): Elector {
  const { lease: place, identity, leaseMs = defaultLeaseMs } = options
  const { clock, steadyMs, entropy, log } = deps
  const everyMs = leaseMs * renewShare
  const calls = leaseCalls(deps.transport, place, leaseMs * timeoutShare)
  const listeners = createListeners<Term | null>(log)
  const readClocks = (): ClockReading => ({ wall: clock.now(), steady: steadyMs() })
  let term: OwnTerm | null = null
  let known: Lease | null = null
  /** The version of a foreign lease, and since when it has stood like that by our own clock. */
  let observed: { readonly version: string; readonly since: number } | null = null

  const claim = (isNew: boolean, holder = identity): Claim => ({
    holder,
    isNew,
    at: clock.now(),
    durationSeconds: holder === '' ? 1 : leaseMs / 1_000,
  })

  function won(
    lease: Lease | null,
    token: string,
    sentAt: ClockReading,
    closing: string | null = null,
  ): void {
    known = lease
    observed = null
    term = beginTerm({ holder: identity, token, closing }, sentAt, leaseMs * termShare, deps, (reason) => {
      term = null
      const fields = { lease: place.name, identity, fence: token, reason }
      if (reason === stopping) log.info(fields, 'leadership ends')
      else log.warn(fields, 'leadership was lost')
      listeners.emit([null])
    })
    // Not as `token`, which in a log would be a secret and is struck out.
    log.info({ lease: place.name, identity, fence: token }, 'leadership begins')
    listeners.emit([term])
  }

  async function renew(own: OwnTerm, lease: Lease, signal: AbortSignal): Promise<number> {
    const sentAt = readClocks()
    const renewed = await calls.replace(lease, claim(false), signal)
    if (renewed !== null) {
      known = renewed
      own.renewed(sentAt)
      return (await closes(signal)) ?? everyMs
    }
    known = await calls.read(signal)
    if (known?.spec.holderIdentity !== identity) own.end(`the lease is ${holderOf(known) || 'nobody'}'s now`)
    return 0
  }

  async function stand(signal: AbortSignal): Promise<number> {
    const lease = await calls.read(signal)
    known = lease
    if (lease !== null && !isFree(lease)) return everyMs
    const sentAt = readClocks()
    const acquired =
      lease === null
        ? await calls.create(claim(true), signal)
        : await calls.replace(lease, claim(true), signal)
    if (acquired === null) return everyMs
    term?.end('the namespace takes leases again')
    won(acquired, acquired.metadata.resourceVersion, sentAt)
    return everyMs
  }

  /**
   * In a namespace that terminates the lease goes with all else, and cannot be made again. Nothing new can be made there
   * by anybody, so any replica that is left seals and releases what it may: records are unique in the ledger, and each write names
   * the UID of its object, so that several do no harm. Without this its finalizers would hold it for ever. It is looked
   * for with each renewal, since our rights go with the namespace too: clusters since 1.33 take pods away before all
   * else, and in that time finalizers can still be removed.
   */
  async function close(sentAt: ClockReading, signal: AbortSignal): Promise<number | null> {
    const token = await readTerminatingVersion(deps.transport, place, leaseMs * lookShare, signal)
    if (token === null) return null
    if (term?.closing != null) {
      term.renewed(sentAt)
      return everyMs
    }
    const closing = `the namespace ${place.namespace} is being deleted`
    term?.end(closing)
    log.error(
      { lease: place.name, identity, closing },
      'no runner can be created any more; the runners that are left are released',
    )
    won(null, token, sentAt, closing)
    return everyMs
  }

  /** A failed read says nothing about the namespace. */
  const closes = (signal: AbortSignal): Promise<number | null> =>
    close(readClocks(), signal).catch((error: unknown) => {
      log.debug({ lease: place.name, err: error }, 'whether the namespace is being deleted could not be read')
      return null
    })

  /** The end of a namespace is not taken back: where it may not be read any more, it goes on. */
  async function stayClosing(own: OwnTerm, signal: AbortSignal): Promise<number | null> {
    const sentAt = readClocks()
    try {
      return await close(sentAt, signal)
    } catch (error) {
      if (!areRightsGone(error)) throw error
      own.renewed(sentAt)
      return everyMs
    }
  }

  /** Nobody's, ours from a try whose answer was lost, or unchanged for as long as it holds. Their clock is not asked. */
  function isFree({ metadata, spec }: Lease): boolean {
    const holder = spec.holderIdentity ?? ''
    if (holder === '' || holder === identity) return true
    if (observed?.version !== metadata.resourceVersion) {
      observed = { version: metadata.resourceVersion, since: steadyMs() }
    }
    return steadyMs() - observed.since >= (spec.leaseDurationSeconds ?? leaseMs / 1_000) * 1_000
  }

  async function step(signal: AbortSignal): Promise<number> {
    try {
      const own = term
      if (own?.closing != null) return (await stayClosing(own, signal)) ?? (await stand(signal))
      return own !== null && known !== null ? await renew(own, known, signal) : await stand(signal)
    } catch (error) {
      const closed = mayBeTerminating(error) ? await closes(signal) : null
      if (closed !== null) return closed
      if (!signal.aborted)
        log.warn({ lease: place.name, identity, err: error }, 'the lease could not be looked after')
      return leaseMs * retryShare
    }
  }

  async function release(): Promise<void> {
    const [own, lease] = [term, known]
    own?.end(stopping)
    if (own === null || lease === null) return
    await calls.replace(lease, claim(false, ''), new AbortController().signal).catch((error: unknown) => {
      log.warn({ lease: place.name, err: error }, 'the lease could not be given back; it ends by itself')
    })
  }

  return {
    term: () => term,
    holder: () => holderOf(known) || null,
    onChange: listeners.add,
    async run(signal) {
      while (!signal.aborted) {
        const waitMs = await step(signal)
        if (waitMs > 0) await clock.sleep(waitMs * (0.9 + 0.2 * entropy.fraction()), signal).catch(() => {})
      }
      await release()
    },
  }
}

function holderOf(lease: Lease | null): string {
  return lease?.spec.holderIdentity ?? ''
}
