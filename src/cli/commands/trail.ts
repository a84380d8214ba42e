import type { Command } from 'commander'
import { exitCodes, HoldfastError } from '../../domain/errors/index.ts'
import type { TrailHead, TrailRow } from '../../domain/trail/index.ts'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import type { TrailReport } from '../deps.ts'
import { trailListText, trailRowText, trailVerdictText } from '../output/trail.ts'
import { numberBetween } from './number.ts'

const limitDefault = 50
const limitMax = 10_000

interface ListOptions {
  readonly json?: boolean
  readonly plan?: string
  readonly limit: number
}

/** Adds `trail list`, `trail show` and `trail verify`: every step of every remedy. */
export function addTrail(program: Command, context: Context): void {
  const trail = program
    .command('trail')
    .description('What remedies did: every step with its actor, its gates with their proof, and its outcome.')

  const list = define(trail, context, {
    name: 'list',
    description: 'The newest steps, oldest of them first.',
    example: 'holdfast trail list\nholdfast trail list --plan 3f0c --limit 10',
    settings: 'client',
  })
    .option('--plan <hash>', 'only steps of this plan; the first characters are enough')
    .option('--limit <count>', `at most so many, up to ${limitMax}`, numberBetween(1, limitMax), limitDefault)
  list.action(async (options: ListOptions) => {
    const { rows, place } = await read(list, context)
    const { plan = '' } = options
    const chosen = rows.filter((row) => plan === '' || row.plan?.startsWith(plan)).slice(-options.limit)
    printResult(context, options, chosen, trailListText(chosen, place, context))
  })

  const show = define(trail, context, {
    name: 'show',
    description: 'One step with all its gates and what they rest on.',
    example: 'holdfast trail show 12',
    settings: 'client',
  }).argument('<number>', 'of the row', numberBetween(1, Number.MAX_SAFE_INTEGER))
  show.action(async (number: number, options: { readonly json?: boolean }) => {
    const row = rowOf(await read(show, context), number)
    printResult(context, options, row, trailRowText(row, context))
  })

  const verify = define(trail, context, {
    name: 'verify',
    description: 'Find rows that were changed, removed or added.',
    example: 'holdfast trail verify\nholdfast trail verify --head 12:9f86d081…',
    settings: 'client',
  }).option('--head <count:hash>', 'also by a head that was noted elsewhere, as every run prints it', headOf)
  verify.addHelpText('after', verifyHelp)
  verify.action(async (options: { readonly json?: boolean; readonly head?: TrailHead }) => {
    const report = await read(verify, context, options.head)
    const { store, place, head, problems } = report
    const verdict = { store, place, head, problems }
    printResult(context, options, verdict, trailVerdictText(report, options.head !== undefined))
    if (problems.length > 0) context.exitCode = 1
  })
}

const verifyHelp = `
The trail stands in the ledger where DATABASE_URL is set, else in the data
folder. Neither can prove that nobody with its owner's rights wrote the whole
again together with its head: note the head of a run elsewhere, and give it
with --head.

Exit codes:
  0  the chain holds
  1  it does not
  ${exitCodes.refused}  the trail is no trail, or cannot be read`

function read(command: Command, context: Context, head: TrailHead | null = null): Promise<TrailReport> {
  return context.roles.readTrail(loadFor(command, context).config, head, context.signal)
}

function rowOf({ rows }: TrailReport, number: number): TrailRow {
  const row = rows.find((each) => each.number === number)
  if (row !== undefined) return row
  throw new HoldfastError('E_USAGE', { problem: `the trail has no row ${number}; it has ${rows.length}` })
}

function headOf(text: string): TrailHead {
  const [, count = '', hash = ''] = /^(\d{1,9}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === '')
    throw new HoldfastError('E_USAGE', {
      problem: `--head: expected count:hash, as a run prints it; got ${text}`,
    })
  return { count: Number(count), hash }
}
