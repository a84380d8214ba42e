import type { Command } from 'commander'
import { isError } from '../../domain/errors/index.ts'
import type { Check } from '../../domain/examination.ts'
import { findServer } from '../client/find-server.ts'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { askInstance } from '../doctor/ask-instance.ts'
import { printable } from '../output/printable.ts'
import { wrapped } from '../output/wrap.ts'

const exitHelp = `
Exit codes:
  0  nothing is wrong (there may be warnings)
  1  something fails
  2  something could not be looked at, or the command was not understood`

/** Adds `doctor`, which checks whether Holdfast can work here. */
export function addDoctor(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'doctor',
    description:
      'Look for what would keep Holdfast from working here, whether it runs or not: ports, disk, cgroups, isolation, and of a running one its version, clock, forge and webhooks; each with what to do.',
    example: 'holdfast doctor\nholdfast doctor --json',
    settings: 'all',
  })
  command.addHelpText('after', exitHelp)
  command.action(async (options: { json?: boolean }) => {
    const { config } = loadFor(command, context)
    const checks = [...(await context.roles.examine(config)), ...(await ofInstance(command, context))]
    context.exitCode = exitCodeFor(checks)
    printResult(context, options, { checks }, checks.flatMap((check) => lines(check, context)).join('\n'))
  })
}

/** A Holdfast that does not run is no failure: one line says so, and the checks that need it are left out. */
async function ofInstance(command: Command, context: Context): Promise<readonly Check[]> {
  const name = 'instance'
  try {
    const server = await findServer(command, context)
    return await askInstance(server, context)
  } catch (error) {
    if (!isError(error, 'E_SERVER_UNREACHABLE')) throw error
    const found = error.message
    const todo = `Start it: ${context.self} up. Its version, clock, forge and webhooks are looked at while it runs.`
    return [{ name, result: 'warn', found: found.replace(/\.$/, ''), todo }]
  }
}

function exitCodeFor(checks: readonly Check[]): number {
  if (checks.some(({ result }) => result === 'fail')) return 1
  return checks.some(({ result }) => result === 'unknown') ? 2 : 0
}

function lines({ name, result, found, todo }: Check, { colors, width }: Context): string[] {
  const paint = { ok: colors.green, warn: colors.yellow, fail: colors.red, unknown: colors.yellow }[result]
  const lead = `${paint(result.padEnd(8))}${name.padEnd(10)} `
  return [
    ...wrapped(printable(found), lead, 19, width),
    ...(todo === null ? [] : wrapped(printable(todo), `${' '.repeat(19)}${colors.dim('to do')} `, 25, width)),
  ]
}
