import { type ApiDelivery, ageText, type DeliveryList } from '../../api/index.ts'
import type { Colors, Context } from '../context.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

const statePad = 9

/** Deliveries one below the other: replaying needs the whole GUID, which is too long for a table. */
export function deliveryListText({ deliveries, at }: DeliveryList, context: Context): string {
  return deliveries.map((delivery) => deliveryLines(delivery, at, context).join('\n')).join('\n')
}

function deliveryLines(delivery: ApiDelivery, at: string, { colors, width }: Context): string[] {
  const { guid, event, subject, receivedAt, tries, state, note } = delivery
  const paint = paintState(state, colors)
  const tried = tries === 1 ? 'tried once' : `tried ${tries} times`
  const about = subject === null ? '' : `, about ${subject}`
  const more = [`received ${ageText(receivedAt, at)} ago, ${tried}${about}`, ...(note === null ? [] : [note])]
  const indent = ' '.repeat(statePad)
  return [
    `${paint(state)}${' '.repeat(statePad - state.length)}${printable(guid)}  ${printable(event)}`,
    ...more.flatMap((text) => wrapped(printable(text), indent, statePad, width)),
  ]
}

function paintState(state: ApiDelivery['state'], colors: Colors): (text: string) => string {
  if (state === 'poison') return colors.red
  return state === 'pending' ? colors.yellow : colors.dim
}
