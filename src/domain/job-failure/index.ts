export { caVariables } from './facts.ts'
export { judgeJobFailure } from './judge.ts'
export { type JobFailureRule, jobFailureGroups, notExplained } from './rules/index.ts'
export { type JobFailureClass, type JobVerdict, jobFailureClasses } from './verdict.ts'
