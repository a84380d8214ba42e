export { createCommandRunner } from './command-runner.ts'
