import { type Mutant, runHistory } from './world/index.ts'

const historiesMax = 300

/** The first history in which a mutant is found out by an invariant that it breaks; null: none did. */
export async function findMutant({ mutate, breaks }: Mutant): Promise<string | null> {
  for (let seed = 1; seed <= historiesMax; seed += 1) {
    const { violation } = await runHistory({ seed, mutate })
    if (violation === null || !breaks.includes(violation.invariant)) continue
    // A seed that fails without the mutant as well says nothing about it.
    if ((await runHistory({ seed })).violation === null) return `${violation.invariant} at seed ${seed}`
  }
  return null
}
