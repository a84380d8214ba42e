import type { Command } from 'commander'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { hostTreatedText } from '../output/host-treated.ts'
import { remedyExitCode, remedyExitHelp } from '../remedy/exit.ts'
import { chosenHost, contractOption } from '../workdir/declared-hosts.ts'
import { numberBetween } from './number.ts'

const waitSecondsMax = 3_600

interface HostOptions {
  readonly json?: boolean
  readonly contract?: string
  readonly apply?: string
  readonly wait?: number
}

/** Adds `host drain` and `host start`: the service of a persistent runner, planned first. */
export function addHost(program: Command, context: Context): void {
  const host = program
    .command('host')
    .description('The service of one persistent runner, as the contract file declares it (docs/workdirs.md).')
  const drain = defineService(host, context, {
    name: 'drain',
    description:
      'Plan to stop the runner of a host while it is idle, so that it takes no new job, and with --apply do exactly that.',
  })
  drain.option(
    '--wait <seconds>',
    'wait so long first until no Worker is at work',
    numberBetween(1, waitSecondsMax),
  )
  defineService(host, context, {
    name: 'start',
    description:
      'Plan to start the runner of a drained host whose folders are in order, and with --apply do exactly that; its Listener must be there after.',
  })
}

function defineService(
  parent: Command,
  context: Context,
  { name, description }: { readonly name: 'drain' | 'start'; readonly description: string },
): Command {
  const command = define(parent, context, {
    name,
    description,
    example: [
      `holdfast host ${name} honey-am-2 --contract holdfast-contract.yaml`,
      `holdfast host ${name} honey-am-2 --contract holdfast-contract.yaml --apply <hash>`,
    ].join('\n'),
    settings: 'client',
  })
    .argument('<host>', 'a host of the contract file')
    .option(...contractOption)
    .option('--apply <hash>', 'apply exactly the plan of this hash, or nothing')
    .addHelpText('after', remedyExitHelp)
  command.action(async (asked: string, options: HostOptions) => {
    const order = {
      host: chosenHost(options, asked, context),
      wish: { remedy: `host-${name}` },
      apply: options.apply ?? null,
      waitMs: (options.wait ?? 0) * 1_000,
    } as const
    const report = await context.roles.treatHost(loadFor(command, context).config, order, context.signal)
    const again = `holdfast host ${name} ${asked} --contract ${options.contract}`
    printResult(context, options, report, hostTreatedText(report, again, context))
    context.exitCode = remedyExitCode(report.state)
  })
  return command
}
