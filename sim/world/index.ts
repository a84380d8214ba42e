export { type Mutant, mutants } from './mutants.ts'
export { type Outcome, runHistory } from './world.ts'
