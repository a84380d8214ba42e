import type { Command } from 'commander'
import { incidentListSchema, retryAnswerSchema } from '../../api/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { incidentListText } from '../output/incident-list.ts'

/** The number of closed incidents that --all shows. */
const closedShown = 50

export function addIncidents(program: Command, context: Context): void {
  const list = define(program, context, {
    name: 'incidents',
    description: 'List what only a person can put right, with what to do; with --all also what is over.',
    example: 'holdfast incidents --all',
    settings: 'client',
  })
    .enablePositionalOptions()
    .option('--all', `also the last ${closedShown} that are over`)
  list.action(async (options: { json?: boolean; all?: boolean }) => {
    const path = `/v1/incidents?closed=${options.all ? closedShown : 0}`
    const found = await (await findServer(list, context)).get(path, incidentListSchema)
    if (found.incidents.length === 0 && !options.json) {
      return printText(context, options.all ? 'There was no incident.' : 'No open incidents.')
    }
    printResult(context, options, found, incidentListText(found, context))
  })

  const retry = define(list, context, {
    name: 'retry',
    description: 'Try again at once what an incident holds back; if it is not over, it opens again.',
    example: 'holdfast incidents retry 3',
    settings: 'client',
  }).argument('<id>', 'number of the incident')
  retry.action(async (id: string, options: { json?: boolean }) => {
    const path = `/v1/incidents/${encodeURIComponent(id)}/retry`
    const answer = await (await findServer(retry, context)).post(path, retryAnswerSchema)
    const text = `Incident ${answer.incident} is closed, and what it held back is tried again now.`
    printResult(context, options, answer, text)
  })
}
