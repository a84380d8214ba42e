import { redactText, redactValue } from '../../domain/redact/index.ts'
import type { ApiFacts } from '../contracts/time.ts'

/** By the handle an attempt is written to: it is for its runner and for Holdfast alone. */
const withheldKeys: ReadonlySet<string> = new Set(['handle', 'identityHash'])

/** Facts as they may leave the ledger: bounded, without secrets and without handles. */
export function safeFacts(value: Readonly<Record<string, unknown>>): ApiFacts {
  return redactValue(withoutWithheld(value)) as ApiFacts
}

export function safeText(text: string): string {
  return redactText(text)
}

function withoutWithheld(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWithheld)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !withheldKeys.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutWithheld(inner)]))
}
