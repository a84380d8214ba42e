import type { Runner } from '../../../domain/runner/index.ts'
import type { Cause, RunnerLedger } from '../../../ports/ledger.ts'
import type { RunnerHost, StopOrder } from '../../../ports/runner-host.ts'

export interface RemoveDeps {
  readonly ledger: RunnerLedger
  readonly host: RunnerHost
  readonly stopGraceMs: number
}

export type Removed =
  /** The runner is fenced, and was asked to go. */
  | 'leaving'
  /** The runner was given a job meanwhile, or has ended. */
  | 'taken'
  /** The runner is fenced, but its program has started: it is left alone (I4), and recovery handles it. */
  | 'started'

/**
 * Removes a runner that has no job. It is fenced first, so that it is given none from then on; only then is it stopped.
 * The forge does not know it: a runner is registered when it is given a job.
 */
export async function removeIdle(
  { ledger, host, stopGraceMs }: RemoveDeps,
  runner: Pick<Runner, 'id' | 'name'>,
  reason: string,
  cause: Cause,
  { isUnneeded = false }: Pick<StopOrder, 'isUnneeded'> = {},
): Promise<Removed> {
  if ((await ledger.fence(runner.id, reason, cause)) === 'refused') return 'taken'
  const order = { reason, graceMs: stopGraceMs, evenIfStarted: false, ...(isUnneeded && { isUnneeded }) }
  const stopped = await host.stop(runner.name, order)
  return stopped === 'asked' ? 'leaving' : 'started'
}
