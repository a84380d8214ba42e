import type { Command } from 'commander'
import { createColors } from 'picocolors'
import type { CliDeps } from './deps.ts'

export type Colors = ReturnType<typeof createColors>

/** What every command has at hand. */
export interface Context extends CliDeps {
  readonly colors: Colors
  /** Width to which output is fitted. */
  readonly width: number
  /** An example for each command, shown by its help and in the reference page. */
  readonly examples: Map<Command, string>
  /** How the program exits where nothing fails. */
  exitCode: number
}

const widthDefault = 80

export function createContext(deps: CliDeps): Context {
  const isColored = deps.isTerminal && !deps.env.NO_COLOR && deps.env.TERM !== 'dumb'
  return {
    ...deps,
    colors: createColors(isColored),
    width: deps.columns ?? widthDefault,
    examples: new Map(),
    exitCode: 0,
  }
}

/** Writes lines to stdout. */
export function say(context: Context, text: string): void {
  context.stdout.write(`${text}\n`)
}

/** One JSON document for machines, or the text for people. */
export function tell(
  context: Context,
  options: { readonly json?: boolean },
  value: unknown,
  text: string,
): void {
  say(context, options.json ? JSON.stringify(value, null, 2) : text)
}
