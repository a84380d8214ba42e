import { fileURLToPath } from 'node:url'

/** The runner program of the simulated forge; it speaks GitHub's protocol as far as that forge does. */
export const bundledRunner = {
  main: fileURLToPath(new URL('../../../sim/runner/main.ts', import.meta.url)),
  packages: [],
} as const
