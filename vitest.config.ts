import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** `npm test` runs what stands beside the sources; the long suites have configurations of their own. */
export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'sim/**/*.test.ts',
      'runners/**/*.test.ts',
      'images/**/*.test.ts',
      'test/audits/**/*.test.ts',
      'test/contract/**/*.test.ts',
      'test/deaths/**/*.test.ts',
      'test/docs/**/*.test.ts',
      'test/ledger-fuzz/**/*.test.ts',
      'test/program/**/*.test.ts',
    ],
    globalSetup: ['test/support/postgres-global.ts', 'test/support/shells-global.ts'],
    // One more than processors: a third of the time goes into waiting for processes, servers and deadlines.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A bound for what never comes, not a measure: other work may keep the machine busy meanwhile.
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
})
