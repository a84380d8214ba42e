import type { Command } from 'commander'
import { createColors } from 'picocolors'
import type { CliDeps } from './deps.ts'

export type Colors = ReturnType<typeof createColors>

/** Everything that a command can use. */
export interface Context extends CliDeps {
  readonly colors: Colors
  /** Width to which output is fitted. */
  readonly width: number
  /** An example for each command, shown by its help and in the reference page. */
  readonly examples: Map<Command, string>
  /** Exit code of the program unless an error is thrown. */
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

/** Writes text and a newline to stdout. */
export function printText(context: Context, text: string): void {
  context.stdout.write(`${text}\n`)
}

/** Prints the value as one JSON document with --json, else the text. */
export function printResult(
  context: Context,
  options: { readonly json?: boolean },
  value: unknown,
  text: string,
): void {
  printText(context, options.json ? JSON.stringify(value, null, 2) : text)
}
