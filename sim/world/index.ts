export { type Mutant, mutants } from './mutants.ts'
export { type Outcome, runHistory, type WorldOptions } from './world.ts'
