export type { Action } from './action.ts'
export { type Decision, decide } from './decide.ts'
export type { Rule } from './rule.ts'
export { rules } from './rules/index.ts'
export {
  type Fact,
  type FactName,
  type Facts,
  type ForgeJobStatus,
  type ForgeRunnerStatus,
  type HostedStatus,
  type Subject,
  unread,
  type View,
} from './view.ts'
