export { isSecretKey } from './keys.ts'
export { REDACTED } from './patterns.ts'
export { REDACT_CHARS_MAX, redactText } from './text.ts'
export { redactValue } from './value.ts'
