export { type ForeignDeps, readForeignRunner } from './read-runner.ts'
