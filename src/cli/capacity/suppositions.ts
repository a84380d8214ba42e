import { type Command, Option } from 'commander'
import { type CapacityModel, type Supposition, suppose } from '../../domain/capacity/index.ts'
import { parseQuantity } from '../../domain/quantity.ts'
import { usage } from '../usage.ts'

/** The changes that a user may suppose, as they were typed. */
export interface SuppositionOptions {
  readonly nodeGone?: readonly string[]
  readonly nodeAdded?: readonly string[]
  readonly max?: readonly string[]
  readonly move?: readonly string[]
  readonly quota?: readonly string[]
}

/** Declares the options of `suppositionsOf`. */
export function addSuppositionOptions(command: Command): void {
  for (const [flags, description] of suppositionFlags) command.addOption(repeated(flags, description))
}

const suppositionFlags = [
  ['--node-gone <name>', 'this node is not there'],
  ['--node-added <name=count>', 'so many more nodes like this one'],
  ['--max <set=number>', 'another maximum of a scale set'],
  ['--move <set=node>', 'a scale set whose pods go to this node alone'],
  ['--quota <namespace/name/resource=amount>', 'another limit of a quota'],
] as const

function repeated(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`)
    .argParser((value: string, before: readonly string[] = []) => [...before, value])
    .helpGroup('Suppose:')
}

/** The supposed changes, in the order in which they are applied; none at all is refused. */
export function suppositionsOf({ nodeGone, nodeAdded, max, move, quota }: SuppositionOptions): Supposition[] {
  const found = [
    ...(nodeGone ?? []).map((node): Supposition => ({ kind: 'node-gone', node })),
    ...(nodeAdded ?? []).map((text): Supposition => {
      const [like, count] = assigned('--node-added', text)
      return { kind: 'nodes-added', like, count: wholeNumber('--node-added', count) }
    }),
    ...(max ?? []).map((text): Supposition => {
      const [set, number] = assigned('--max', text)
      return { kind: 'max-changed', set, max: wholeNumber('--max', number) }
    }),
    ...(move ?? []).map((text): Supposition => {
      const [set, node] = assigned('--move', text)
      return { kind: 'lane-moved', set, node }
    }),
    ...(quota ?? []).map(quotaSupposition),
  ]
  if (found.length === 0)
    throw usage('suppose something: --node-gone, --node-added, --max, --move or --quota')
  return found
}

function quotaSupposition(text: string): Supposition {
  const [place, amount] = assigned('--quota', text)
  const [, namespace, name, resource] = /^([^/]+)\/([^/]+)\/(.+)$/.exec(place) ?? []
  const limit = parseQuantity(amount)
  if (resource === undefined || limit === null || limit < 0)
    throw usage(`--quota: expected namespace/name/resource=amount, such as ci/runners/pods=80; got ${text}`)
  return { kind: 'quota-changed', quota: `${namespace}/${name}`, resource, amount: limit }
}

function assigned(flag: string, text: string): [string, string] {
  const at = text.lastIndexOf('=')
  if (at <= 0 || at === text.length - 1) throw usage(`${flag}: expected name=value; got ${text}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** More is surely a slip of the finger, and would take for ever to place. */
const numberMax = 10_000

function wholeNumber(flag: string, text: string): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= numberMax)) throw usage(`${flag}: expected a whole number up to ${numberMax}; got ${text}`)
  return number
}

/** The model as it would be; refused where the change names something that is not there. */
export function supposing(model: CapacityModel, supposition: Supposition): CapacityModel {
  const supposed = suppose(model, supposition)
  if (supposed.kind === 'model') return supposed.model
  const known = supposed.known.length === 0 ? 'there are none' : `there are: ${supposed.known.join(', ')}`
  throw usage(`the snapshot has no ${supposed.what}; ${known}`)
}
