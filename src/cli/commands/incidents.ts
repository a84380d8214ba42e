import type { Command } from 'commander'
import { incidentListSchema } from '../../api/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, say, tell } from '../context.ts'
import { define } from '../define.ts'
import { incidentListText } from '../output/incident-list.ts'

/** So many that are over are shown with --all. */
const closedShown = 50

export function addIncidents(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'incidents',
    description: 'List what only a person can put right, with what to do; with --all also what is over.',
    example: 'holdfast incidents --all',
    settings: 'client',
  }).option('--all', `also the last ${closedShown} that are over`)
  command.action(async (options: { json?: boolean; all?: boolean }) => {
    const path = `/v1/incidents?closed=${options.all ? closedShown : 0}`
    const list = await findServer(command, context).get(path, incidentListSchema)
    if (list.incidents.length === 0 && !options.json) {
      return say(context, options.all ? 'There was no incident.' : 'No open incidents.')
    }
    tell(context, options, list, incidentListText(list, context))
  })
}
