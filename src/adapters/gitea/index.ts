export { createGiteaFacts } from './facts/from-api.ts'
export { createGitea, type GiteaOptions } from './gitea.ts'
export type { RunnerScope } from './registration-path.ts'
