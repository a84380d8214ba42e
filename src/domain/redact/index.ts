export { redactBareTokens } from './bare-tokens.ts'
export { isSecretKey } from './keys.ts'
export { patternCharsMax } from './linear/index.ts'
export { harmless, oneLine } from './one-line.ts'
export { redacted } from './patterns.ts'
export { redactRecord } from './record.ts'
export {
  createRedactor,
  patternProblems,
  patternsMax,
  type Redactor,
} from './redactor.ts'
export { redactCharsMax, redactText } from './text.ts'
export { redactValue } from './value.ts'
