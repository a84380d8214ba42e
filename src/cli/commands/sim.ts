import type { Command } from 'commander'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'

export function addSim(program: Command, context: Context): void {
  const sim = program.command('sim').description('Run simulated parts of the world outside.')
  const forge = define(sim, context, {
    name: 'forge',
    description: 'Run the simulated forge alone, for a Holdfast elsewhere (its forge.url).',
    example: 'holdfast sim forge --forge-simulated-port 9001',
    settings: 'all',
  })
  forge.action(async (options: { json?: boolean }) => {
    const { config } = loadFor(forge, context)
    context.exitCode = await context.roles.simForge(config, (serving) =>
      printResult(context, options, serving, `The simulated forge serves at ${serving.url}`),
    )
  })
}
