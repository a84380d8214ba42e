export { redactBareTokens } from './bare-tokens.ts'
export { withoutEscapes } from './escapes.ts'
export { isSecretKey } from './keys.ts'
export { PATTERN_CHARS_MAX } from './linear/index.ts'
export { REDACTED } from './patterns.ts'
export { redactRecord } from './record.ts'
export {
  createRedactor,
  PATTERNS_MAX,
  patternProblems,
  type Redactor,
  type RedactorOptions,
} from './redactor.ts'
export { REDACT_CHARS_MAX, redactText } from './text.ts'
export { redactValue } from './value.ts'
