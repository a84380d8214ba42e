import { defineConfig } from 'vitest/config'

/** Tests against a real Gitea; `npm run test:gitea` builds it first. */
export default defineConfig({
  test: { include: ['test/gitea/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 600_000 },
})
