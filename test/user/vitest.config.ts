import { defineConfig } from 'vitest/config'

/** `npm run test:user`: the program as a new user meets it, from a fresh clone, by the README's own commands. */
export default defineConfig({
  test: {
    include: ['test/user/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000, interval: 100 } },
  },
})
