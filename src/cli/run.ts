import { CommanderError } from 'commander'
import { HoldfastError, isError } from '../domain/errors/index.ts'
import { reasonOf } from '../domain/reason.ts'
import { errorBody, errorText, exitCodeOf } from '../platform/errors/index.ts'
import { type Context, printText } from './context.ts'
import { createCli } from './create-cli.ts'
import type { CliDeps } from './deps.ts'

/** Runs one command line (without program and script) and returns the exit code; never throws. */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const { program, context } = createCli(deps)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return context.exitCode
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) return error.exitCode === 0 ? 0 : usageExit
    const failure = error instanceof CommanderError ? usageError(error) : startCauseOf(error)
    report(failure, args, context)
    return exitCodeOf(failure)
  }
}

const usageExit = 2

function isHelp({ code, exitCode }: CommanderError): boolean {
  return exitCode === 0 || code === 'commander.help'
}

function usageError({ message }: CommanderError): HoldfastError {
  const problem = message
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '')
  return new HoldfastError('E_USAGE', { problem })
}

/** The cause of a failed start has the hint and the exit code that help. */
function startCauseOf(error: unknown): unknown {
  return isError(error, 'E_START_FAILED') && error.cause instanceof HoldfastError ? error.cause : error
}

/** With --json the error is the one document on stdout. */
function report(error: unknown, args: readonly string[], context: Context): void {
  if (args.includes('--json')) {
    printText(context, JSON.stringify(jsonBody(error), null, 2))
    return
  }
  const debug = context.env.HOLDFAST_LOG_LEVEL === 'debug'
  context.stderr.write(`${errorText(error, { color: context.colors.isColorSupported, debug })}\n`)
}

function jsonBody(error: unknown): unknown {
  if (error instanceof HoldfastError) return errorBody(error).body
  const message = reasonOf(error)
  return errorBody(new HoldfastError('E_BUG', { what: message })).body
}
