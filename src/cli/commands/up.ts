import type { Command } from 'commander'
import { inputsFor, loadFor } from '../configuration.ts'
import { type Context, tell } from '../context.ts'
import { define } from '../define.ts'
import { servingText } from '../output/serving.ts'

export function addUp(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'up',
    description:
      'Run all of Holdfast on this machine: ledger, dispatch, recovery, runners as local processes, status page.',
    example: 'holdfast up --http-port 9000',
    settings: 'all',
  })
  command.action(async (options: { json?: boolean }) => {
    const { config } = loadFor(command, context)
    context.exitCode = await context.roles.up(
      config,
      (serving) => tell(context, options, serving, servingText(serving, context)),
      inputsFor(command, context),
    )
  })
}
