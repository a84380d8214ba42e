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
      'test/contract/**/*.test.ts',
      'test/deaths/**/*.test.ts',
      'test/docs/**/*.test.ts',
      'test/ledger-fuzz/**/*.test.ts',
      'test/program/**/*.test.ts',
    ],
    globalSetup: ['test/support/postgres-global.ts'],
    // Left to itself it takes one less, which is one of two.
    maxWorkers: availableParallelism(),
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A bound for what never comes, not a measure: other work may keep the machine busy meanwhile.
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
})
