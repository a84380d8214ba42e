/** How a runner proves who it is: by its own secret on this machine, by its pod's token in a cluster. */
export interface Identity {
  /**
   * Whether a proof itself says which runner it belongs to, so that the first one may be bound to a row that knows
   * none yet. A secret does not: its hash must be in the row before.
   */
  readonly provesName: boolean
  /**
   * The hash under which the ledger knows who shows this proof as the runner of that name; null where the proof
   * proves nothing or belongs to another. Throws a retryable error where it cannot be checked: then nobody is let in.
   */
  of(runner: string, proof: string, signal: AbortSignal): Promise<string | null>
}
