import type { Command } from 'commander'
import { runnerListSchema } from '../../api/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, say, tell } from '../context.ts'
import { define } from '../define.ts'
import { runnerListText } from '../output/runner-list.ts'
import { numberBetween } from './number.ts'

const endedMax = 200

export function addRunners(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'runners',
    description: 'List runners: those that live, then those that ended lately and how.',
    example: 'holdfast runners --ended 50',
    settings: 'client',
  }).option('--ended <count>', `so many that ended, up to ${endedMax}`, numberBetween(0, endedMax), 10)
  command.action(async (options: { json?: boolean; ended: number }) => {
    const list = await (await findServer(command, context)).get(
      `/v1/runners?ended=${options.ended}`,
      runnerListSchema,
    )
    if (list.runners.length + list.unreadable.length === 0 && !options.json)
      return say(context, 'There is no runner.')
    tell(context, options, list, runnerListText(list, context))
  })
}
