import { type Command, Option } from 'commander'
import {
  deliveriesLimitMax,
  deliveryListSchema,
  deliveryStatesShown,
  replayAnswerSchema,
} from '../../api/index.ts'
import { deliveryStates } from '../../ports/ledger.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { deliveryListText } from '../output/delivery-list.ts'
import { numberBetween } from './number.ts'

interface DeliveriesOptions {
  readonly json?: boolean
  readonly state: readonly string[]
  readonly limit: number
}

/** Adds `deliveries`: webhook deliveries that wait or were set aside, and the replay of one. */
export function addDeliveries(program: Command, context: Context): void {
  const list = define(program, context, {
    name: 'deliveries',
    description:
      'List webhooks, newest first: those that were set aside with the reason, and those that wait.',
    example: 'holdfast deliveries\nholdfast deliveries --state done --limit 5',
    settings: 'client',
  })
    .enablePositionalOptions()
    .addOption(
      new Option('--state <state...>', 'only those in these states')
        .choices(deliveryStates)
        .default([...deliveryStatesShown]),
    )
    .option(
      '--limit <count>',
      `at most so many, up to ${deliveriesLimitMax}`,
      numberBetween(1, deliveriesLimitMax),
      50,
    )
  list.action(async (options: DeliveriesOptions) => {
    const query = new URLSearchParams({ state: options.state.join(','), limit: String(options.limit) })
    const answer = await (await findServer(list, context)).get(`/v1/deliveries?${query}`, deliveryListSchema)
    if (answer.deliveries.length === 0 && !options.json) return printText(context, emptyText(options))
    printResult(context, options, answer, deliveryListText(answer, context))
  })

  const replay = define(list, context, {
    name: 'replay',
    description: 'Work on a settled webhook once more, as if it had just come.',
    example: 'holdfast deliveries replay 72d3162e-cc78-11e3-81ab-4c9367dc0958',
    settings: 'client',
  }).argument('<guid>', 'the GUID under which the forge sent it')
  replay.action(async (guid: string, options: { json?: boolean }) => {
    const path = `/v1/deliveries/${encodeURIComponent(guid)}/replay`
    const answer = await (await findServer(replay, context)).post(path, replayAnswerSchema)
    printResult(context, options, answer, `Delivery ${answer.guid} is worked on once more.`)
  })
}

function emptyText({ state }: DeliveriesOptions): string {
  const isDefault = state.join() === deliveryStatesShown.join()
  return isDefault ? 'No webhook was set aside, and none waits.' : 'No such deliveries.'
}
