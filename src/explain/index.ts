export { type ExplainLedger, explainSubject } from './explain-subject.ts'
export { explainLog, type ReadLog } from './from-log.ts'
export { explainForeign } from './from-pod.ts'
export { harmless } from './words.ts'
