import { defineConfig } from 'vitest/config'

/** Tests on a real Kubernetes; `npm run test:cluster` builds it first. One file after another: two cores do not make it faster. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
})
