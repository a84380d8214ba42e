export type { Change, EndKind, Evidence, Proof } from './change.ts'
export { type JobFate, planEnd } from './end.ts'
export { type Bound, type HearContext, type Known, planWord } from './hear.ts'
export type { ForgeJob, ForgeWord } from './word.ts'
