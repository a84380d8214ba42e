import { defineConfig } from 'vitest/config'

/** `npm run test:attacks`: what untrusted jobs and strangers try, against the whole program. */
export default defineConfig({
  test: {
    include: ['test/attacks/**/*.test.ts'],
    globalSetup: ['test/support/postgres-global.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
})
