import { processesOf } from '../../domain/remedy/index.ts'
import { attempted } from '../attempted.ts'
import { type LookDeps, lookAt } from './look.ts'

const lookEveryMs = 5_000

/** Waits until no Worker is at work, at most so long. Whether that holds is judged again by the gates. */
export async function untilIdle(deps: LookDeps, maxMs: number, signal: AbortSignal): Promise<void> {
  const { clock } = deps
  const until = clock.now() + maxMs
  for (;;) {
    const looked = await attempted(() => lookAt(deps, signal))
    if ('value' in looked && processesOf(looked.value, 'worker').length === 0) return
    if (signal.aborted || clock.now() + lookEveryMs > until) return
    await clock.sleep(lookEveryMs, signal).catch(() => {}) // an interrupted wait ends as one that is over
  }
}
