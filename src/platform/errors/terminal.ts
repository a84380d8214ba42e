import { createColors } from 'picocolors'
import { HoldfastError } from '../../domain/errors/index.ts'
import { redactText } from '../../domain/redact/index.ts'

/** Deeper causes say nothing more, and a circle must end. */
const causesMax = 5
const exitBug = 1

export interface ErrorTextOptions {
  readonly color: boolean
  /** Adds stacks. */
  readonly debug: boolean
}

/** An error for a person: what happened, why, what to do. No secrets, and no stack unless asked. */
export function errorText(error: unknown, { color, debug }: ErrorTextOptions): string {
  const colors = createColors(color)
  const title = error instanceof HoldfastError ? error.code : 'error'
  const causes = causesOf(error).map((cause) => `  ${colors.dim('because')} ${messageOf(cause)}`)
  const hint = error instanceof HoldfastError ? error.entry.hint : undefined
  const lines = [`${colors.red(title)} ${messageOf(error)}`, ...causes]
  if (hint !== undefined) lines.push(`  ${colors.cyan('hint')} ${hint}`)
  if (debug && error instanceof Error && error.stack !== undefined)
    lines.push(colors.dim(redactText(error.stack)))
  return lines.join('\n')
}

/** How a command that ends with this error exits. */
export function exitCodeOf(error: unknown): number {
  return error instanceof HoldfastError ? error.entry.exitCode : exitBug
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  let here = error
  while (here instanceof Error && here.cause !== undefined && causes.length < causesMax) {
    here = here.cause
    causes.push(here)
  }
  return causes
}

/** System errors of several addresses carry an empty message; their code says it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return redactText(String(error))
  const code = 'code' in error ? String(error.code) : error.name
  return redactText(error.message || code)
}
