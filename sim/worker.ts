import { parentPort, workerData } from 'node:worker_threads'
import { runHistory } from './world/index.ts'

/** One thread's share of the histories; each outcome is posted as soon as it is there. */
const { seeds } = workerData as { readonly seeds: readonly number[] }
for (const seed of seeds) {
  const { history, ...outcome } = await runHistory({ seed })
  parentPort?.postMessage({ ...outcome, history: outcome.violation === null ? '' : history })
}
