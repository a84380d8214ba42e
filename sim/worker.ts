import { parentPort, workerData } from 'node:worker_threads'
import { findMutant } from './find-mutant.ts'
import { mutants, runHistory } from './world/index.ts'

/** One thread's share of the histories, or of the mutants by their place in the list; each outcome is posted at once. */
const { seeds = [], places = [] } = workerData as {
  readonly seeds?: readonly number[]
  readonly places?: readonly number[]
}
for (const seed of seeds) {
  const { history, ...outcome } = await runHistory({ seed })
  parentPort?.postMessage({ ...outcome, history: outcome.violation === null ? '' : history })
}
for (const place of places) {
  const mutant = mutants[place]
  if (mutant !== undefined) parentPort?.postMessage({ name: mutant.name, found: await findMutant(mutant) })
}
