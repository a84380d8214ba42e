export { attemptColumns, toAttempt } from './attempt.ts'
export {
  holdingRunners,
  inService,
  inUnknownState,
  jobColumns,
  ofKnownPriority,
  originOfRow,
  toJob,
} from './job.ts'
export { instantOrNull, json, milliseconds, text, textOrNull } from './parameter.ts'
export { readApart } from './read-apart.ts'
export { isOfRow, oneOf, type Row } from './row.ts'
export { inUnknownRunnerState, runnerColumns, toRunner } from './runner.ts'
export { storedJson } from './stored-json.ts'
