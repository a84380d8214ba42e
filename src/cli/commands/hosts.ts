import type { Command } from 'commander'
import { type ApiHost, ageText, type HostList, hostListSchema } from '../../api/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, say, tell } from '../context.ts'
import { define } from '../define.ts'
import { type Column, tableText } from '../output/table.ts'

/** Machines and clusters that run runners, and whether they are heard. */
export function addHosts(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'hosts',
    description:
      'List the hosts of runners (machines, clusters): when each was last heard, and how many runners live there.',
    example: 'holdfast hosts',
    settings: 'client',
  })
  command.action(async (options: { json?: boolean }) => {
    const list = await (await findServer(command, context)).get('/v1/hosts', hostListSchema)
    if (list.hosts.length === 0 && !options.json) return say(context, 'There is no host.')
    tell(context, options, list, hostListText(list, context))
  })
}

function hostListText({ hosts, at }: HostList, context: Context): string {
  const { colors } = context
  const paints = { live: colors.cyan, lost: colors.red, ended: colors.dim } as const
  const columns: Column<ApiHost>[] = [
    { head: 'HOST', text: ({ id }) => id, isFlexible: true },
    { head: 'KIND', text: ({ kind }) => kind },
    { head: 'STATE', text: ({ state }) => state, paint: ({ state }) => paints[state] },
    { head: 'HEARD', text: ({ heartbeatAt }) => ageText(heartbeatAt, at) },
    { head: 'RUNNERS', text: ({ liveRunners }) => String(liveRunners) },
  ]
  return tableText(columns, hosts, context)
}
