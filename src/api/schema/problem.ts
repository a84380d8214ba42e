import { redactText } from '../../domain/redact/index.ts'

const gotCharsMax = 80

/** One thing wrong with the configuration; everything in it may be shown. */
export interface Problem {
  /** The setting or the unknown name. */
  readonly path: string
  /** Where the value came from: `holdfast.yaml:12`, `HOLDFAST_HTTP_PORT`, `--http-port`, `default`. */
  readonly source: string
  readonly got: string
  readonly expected: string
}

/** One line for one problem. */
export function problemText({ path, source, got, expected }: Problem): string {
  const where = source === path ? '' : ` (${source})`
  return `${path}${where}: got ${got}, expected ${expected}`
}

/** A value as a report shows it: short, and never a secret. */
export function gotText(value: unknown, isSecret: boolean): string {
  if (value === undefined) return 'nothing'
  if (isSecret) return 'a value that is hidden because it is secret'
  const shown = redactText(JSON.stringify(value) ?? String(value))
  return shown.length <= gotCharsMax ? shown : `${shown.slice(0, gotCharsMax)}…`
}
