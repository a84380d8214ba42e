/** What a simulated runner's own life can do to it. */
export interface Mortal {
  readonly name: string
  readonly alive: boolean
  end(exitCode: number | null, signal: string | null): void
}
