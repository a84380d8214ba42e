import { HoldfastError } from '../../../src/domain/errors/index.ts'
import type { Leadership, Term } from '../../../src/ports/leadership.ts'
import type { History } from '../history.ts'
import type { Life } from '../life.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Cluster } from './cluster.ts'

/** The Lease object, and who stands for it. */
export interface LeaseTwin {
  /** A process stands for election from now on. */
  join(life: Life): Leadership
  /** Somebody deletes the lease: another may have it at once, and its holder does not know yet. */
  deleteByHand(): void
  holder(): Life | null
}

interface Candidate {
  readonly life: Life
  readonly listeners: Set<(term: Term | null) => void>
  term: Term | null
  validUntil: number
  end: AbortController
}

const renewEveryMs = 3_000
/** How long its holder relies on a lease, and after how long others may take it. */
const termMs = 10_000
const leaseMs = 15_000

export function createLease(
  cluster: Cluster,
  scheduler: Scheduler,
  random: Random,
  history: History,
): LeaseTwin {
  let candidates: Candidate[] = []
  let holder: Candidate | null = null
  let renewedAt = scheduler.now() - leaseMs
  let token = 0

  const isUp = ({ life }: Candidate) => life.alive && life.pausedUntil <= scheduler.now()
  function begin(candidate: Candidate): void {
    endTerm(candidate) // it may not have known yet that it had lost an earlier one
    const own = String(++token)
    const end = new AbortController()
    const { life } = candidate
    holder = candidate
    renewedAt = scheduler.now()
    Object.assign(candidate, { end, validUntil: scheduler.now() + termMs })
    candidate.term = {
      holder: life.name,
      token: own,
      closing: null,
      wonAt: scheduler.now(),
      signal: end.signal,
      check() {
        if (candidate.end === end && !end.signal.aborted && scheduler.now() < candidate.validUntil) return
        throw new HoldfastError('E_CLUSTER_NOT_LEADER', { holder: life.name, reason: 'its term is over' })
      },
    }
    history.note(life.name, `leads with token ${own}`)
    for (const listener of [...candidate.listeners]) listener(candidate.term)
  }
  function endTerm(candidate: Candidate): void {
    if (candidate.term === null) return
    candidate.term = null
    history.note(candidate.life.name, 'leads no more')
    candidate.end.abort(new Error('the term is over'))
    for (const listener of [...candidate.listeners]) listener(null)
  }
  function tick(): void {
    scheduler.after(renewEveryMs, tick)
    candidates = candidates.filter(({ life }) => life.alive)
    const now = scheduler.now()
    if (
      !cluster.isOut &&
      holder !== null &&
      isUp(holder) &&
      holder.term !== null &&
      now < holder.validUntil
    ) {
      renewedAt = now
      holder.validUntil = now + termMs
    }
    for (const candidate of candidates) {
      if (!isUp(candidate)) continue
      if (candidate !== holder || now >= candidate.validUntil) endTerm(candidate)
    }
    const up = candidates.filter(isUp)
    if (!cluster.isOut && up.length > 0 && now - renewedAt >= leaseMs) begin(random.pick(up))
  }
  scheduler.after(0, tick)

  return {
    join(life) {
      const candidate: Candidate = {
        life,
        listeners: new Set(),
        term: null,
        validUntil: 0,
        end: new AbortController(),
      }
      candidates.push(candidate)
      return {
        term: () => candidate.term,
        holder: () => holder?.life.name ?? null,
        onChange(listener) {
          candidate.listeners.add(listener)
          return () => candidate.listeners.delete(listener)
        },
      }
    },
    deleteByHand() {
      const others = candidates.filter((candidate) => candidate !== holder && isUp(candidate))
      if (others.length === 0 || cluster.isOut) return
      history.note('person', 'deletes the lease')
      begin(random.pick(others))
    },
    holder: () => (holder?.life.alive ? holder.life : null),
  }
}
