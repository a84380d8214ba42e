export { readForeignRunner } from './read-runner.ts'
