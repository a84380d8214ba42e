export { createGitea, type Gitea, type GiteaOptions } from './gitea.ts'
export type { RunnerScope } from './places.ts'
