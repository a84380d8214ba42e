import type { Instant } from '../domain/time.ts'

/** The time during which one process, and no other, acts for the fleet. */
export interface Term {
  readonly holder: string
  /**
   * The fencing token: the version of the lease at the moment it was won, a decimal number. Every later term has a
   * greater one, also after the lease was deleted by hand. A store that a leader writes to keeps the greatest
   * token that it has seen and refuses a smaller one (`isOlderToken`).
   */
  readonly token: string
  readonly wonAt: Instant
  /**
   * Why nothing can be made any more, such as that the namespace terminates: then nobody can hold a lease, every process
   * has such a term, and each seals and releases what is there. Null in every other term.
   */
  readonly closing: string | null
  /** Aborted when the term ends, for whatever reason. */
  readonly signal: AbortSignal
  /** Throws `E_CLUSTER_NOT_LEADER` where the term is over, by the clock and not by timers: also right after a pause. */
  check(): void
}

export interface Leadership {
  /** The running term, or null while another process (or none) leads. */
  term(): Term | null
  /** The holder of the lease as far as is known. */
  holder(): string | null
  /** Called at the beginning (with the term) and at the end (with null) of each own term. */
  onChange(listener: (term: Term | null) => void): () => void
}

/** Whether `token` is of an earlier term than `than`. */
export function isOlderToken(token: string, than: string): boolean {
  return BigInt(token) < BigInt(than)
}
