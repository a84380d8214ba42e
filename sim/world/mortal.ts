/** Faults of a simulated runner itself. */
export interface Mortal {
  readonly name: string
  readonly alive: boolean
  /** It has its job: what runs the job is another program, and begins when this resolves. */
  handOver?(): Promise<void>
  end(exitCode: number | null, signal: string | null): void
}
