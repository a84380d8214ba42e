import { type Command, Option } from 'commander'
import { runnerListSchema, runnersLimitMax } from '../../api/index.ts'
import { runnerStates } from '../../domain/runner/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { runnerListText } from '../output/runner-list.ts'
import { numberBetween } from './number.ts'
import { since } from './since.ts'

const endedMax = 200

interface RunnersOptions {
  readonly json?: boolean
  readonly ended: number
  readonly limit: number
  readonly pool?: string
  readonly label?: string
  readonly since?: string
  readonly state?: readonly string[]
}

export function addRunners(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'runners',
    description:
      'List runners: those that live, who may have to be looked after first, then those that ended lately and how.',
    example: 'holdfast runners --ended 50\nholdfast runners --pool linux --state busy fenced',
    settings: 'client',
  })
    .option('--ended <count>', `so many that ended, up to ${endedMax}`, numberBetween(0, endedMax), 10)
    .option('--pool <name>', 'only runners of this pool')
    .option('--label <label>', 'only runners of pools with this label')
    .addOption(new Option('--state <state...>', 'only runners in these states').choices(runnerStates))
    .option('--since <time>', 'of those that ended only the ones since then, such as 90m, 24h or 7d', since)
    .option(
      '--limit <count>',
      `at most so many, up to ${runnersLimitMax}`,
      numberBetween(1, runnersLimitMax),
      50,
    )
  command.action(async (options: RunnersOptions) => {
    const server = await findServer(command, context)
    const list = await server.get(`/v1/runners?${queryOf(options)}`, runnerListSchema)
    if (list.runners.length + list.unreadable.length === 0 && !options.json)
      return printText(context, isFiltered(options) ? 'There is no such runner.' : 'There is no runner.')
    printResult(context, options, list, runnerListText(list, context))
  })
}

function isFiltered({ pool, label, state, since: from }: RunnersOptions): boolean {
  return [pool, label, state, from].some((given) => given !== undefined)
}

function queryOf(options: RunnersOptions): URLSearchParams {
  const query = new URLSearchParams({ ended: String(options.ended), limit: String(options.limit) })
  for (const name of ['pool', 'label', 'since'] as const) {
    const value = options[name]
    if (value !== undefined) query.set(name, value)
  }
  if (options.state !== undefined) query.set('state', options.state.join(','))
  return query
}
