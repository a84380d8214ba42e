import { defineConfig } from 'vitest/config'

/** `npm run test:deadlines`: the whole program, where minutes of real deadlines must pass. The tests wait more than they work. */
export default defineConfig({
  test: {
    include: ['test/deadlines/**/*.test.ts'],
    globalSetup: ['test/support/postgres-global.ts'],
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
})
