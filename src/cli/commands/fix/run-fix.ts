import type { Command } from 'commander'
import { loadFor } from '../../configuration.ts'
import { type Context, printResult } from '../../context.ts'
import type { FixOrder } from '../../deps.ts'
import { remedyText } from '../../output/remedy.ts'
import { remedyExitCode } from '../../remedy/exit.ts'
import type { RemedyOptions } from '../../remedy/options.ts'

/** Runs one fix by its order, prints how it ended, and sets the exit code. */
export async function runFix(
  command: Command,
  context: Context,
  options: RemedyOptions,
  orderOf: (kubeconfig: string | undefined) => FixOrder,
): Promise<void> {
  const { config } = loadFor(command, context)
  const report = await context.roles.fix(config, orderOf(config.fleet.kubeconfig), context.signal)
  printResult(context, options, report, remedyText(report, context))
  context.exitCode = remedyExitCode(report.state)
}
