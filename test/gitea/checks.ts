import { reasonOf } from '../../src/domain/reason.ts'
/** Checks, each with a sentence that names it. */
export interface Checks {
  /** Runs a check; a failure is noted, and the next one follows. */
  check(sentence: string, work: () => Promise<void> | void): Promise<boolean>
  readonly tally: { passed: number; failed: number }
}

export function createChecks(say: (line: string) => void): Checks {
  const tally = { passed: 0, failed: 0 }
  return {
    tally,
    async check(sentence, work) {
      const startedAt = performance.now()
      try {
        await work()
        tally.passed += 1
        say(`  ok      ${sentence} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
        return true
      } catch (error) {
        tally.failed += 1
        say(`  FAILED  ${sentence}: ${reasonOf(error)}`)
        return false
      }
    },
  }
}
