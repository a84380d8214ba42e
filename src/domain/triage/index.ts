export type { TriageCase, TriageSubject } from './case.ts'
export { guide, type Situation } from './guide.ts'
export type { CaseTimeline } from './timeline/index.ts'
export { type Triaged, triage } from './triage.ts'
