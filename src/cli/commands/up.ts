import type { Command } from 'commander'
import { inputsFor, loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { servingText } from '../output/serving.ts'

export function addUp(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'up',
    description:
      'Run all of Holdfast: ledger, dispatch, recovery, status page, and runners as local processes or as pods of a cluster (--fleet kubernetes).',
    example: 'holdfast up --http-port 9000',
    settings: 'all',
  })
  command.action(async (options: { json?: boolean }) => {
    const { config } = loadFor(command, context)
    context.exitCode = await context.roles.up(
      config,
      (serving) => printResult(context, options, serving, servingText(serving, context)),
      inputsFor(command, context),
    )
  })
}
