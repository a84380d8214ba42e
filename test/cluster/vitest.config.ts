import { defineConfig } from 'vitest/config'

/**
 * Tests on a real Kubernetes; `npm run test:cluster` builds it first. Most of their time is waiting for what takes its
 * time in a cluster, so that some files, each with a cluster of its own, run side by side on two cores.
 */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
