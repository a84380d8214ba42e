import type { Command } from 'commander'
import { type ApiHost, ageText, type HostList, hostListSchema } from '../../api/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { type Column, tableText } from '../output/table.ts'

/** Adds `hosts`: machines and clusters of runners, with their heartbeats. */
export function addHosts(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'hosts',
    description:
      'List the hosts of runners (machines, clusters): the last heartbeat of each, and how many runners live there.',
    example: 'holdfast hosts',
    settings: 'client',
  })
  command.action(async (options: { json?: boolean }) => {
    const list = await (await findServer(command, context)).get('/v1/hosts', hostListSchema)
    if (list.hosts.length === 0 && !options.json) return printText(context, 'There is no host.')
    printResult(context, options, list, hostListText(list, context))
  })
}

function hostListText({ hosts, at }: HostList, context: Context): string {
  const { colors } = context
  const paints = { live: colors.cyan, lost: colors.red, ended: colors.dim } as const
  const columns: Column<ApiHost>[] = [
    { head: 'HOST', text: ({ id }) => id, isFlexible: true },
    { head: 'KIND', text: ({ kind }) => kind },
    { head: 'STATE', text: ({ state }) => state, paint: ({ state }) => paints[state] },
    { head: 'HEARTBEAT', text: ({ heartbeatAt }) => ageText(heartbeatAt, at) },
    { head: 'RUNNERS', text: ({ liveRunners }) => String(liveRunners) },
  ]
  return tableText(columns, hosts, context)
}
