import type { Command } from 'commander'
import { ageText } from '../../api/index.ts'
import { exitCodes, HoldfastError } from '../../domain/errors/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { printable } from '../output/printable.ts'
import { wrapped } from '../output/wrap.ts'
import { type Attention, type FleetStatus, readStatus } from '../status/read-status.ts'

/** With the two lines above, ten in all. */
const shownMax = 7
/** Exit code where the state is unknown. */
const untoldExit = exitCodes.usage

const exitHelp = `
Exit codes:
  0  all is well
  1  something needs attention
  2  unknown, because Holdfast does not answer, or the command was not understood`

/** Adds `status`, which shows in ten lines what needs attention. */
export function addStatus(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'status',
    description:
      'Say in ten lines what needs attention: incidents, jobs that nobody will run, lost machines.',
    example: 'holdfast status\nholdfast status --json',
    settings: 'client',
  })
  command.addHelpText('after', exitHelp)
  command.action(async (options: { json?: boolean }) => {
    const server = await findServer(command, context)
    const standing = await readStatus(server).catch((error: unknown) => {
      if (error instanceof HoldfastError) return error
      throw error
    })
    if (standing instanceof HoldfastError) {
      context.exitCode = untoldExit
      const { message } = standing
      return printResult(context, options, { status: 'unknown', why: message }, `Unknown: ${message}`)
    }
    const status = standing.attention.length === 0 ? 'well' : 'attention'
    context.exitCode = status === 'well' ? 0 : 1
    printResult(context, options, { status, ...standing }, statusText(standing, server.url, context))
  })
}

function statusText(standing: FleetStatus, url: string, context: Context): string {
  const { colors, width, self } = context
  const { attention, jobs, runners, at } = standing
  const head =
    attention.length === 0
      ? colors.green('All is well.')
      : colors.red(`${attention.length} ${attention.length === 1 ? 'thing needs' : 'things need'} attention.`)
  const oldest = jobs.oldestSince === null ? '' : ` (the oldest for ${ageText(jobs.oldestSince, at)})`
  const counts = `jobs: ${jobs.waiting} waiting${oldest}, ${jobs.running} running; runners: ${runners.live} live, ${runners.idle} idle`
  const shown = attention.slice(0, shownMax)
  const rest = attention.length - shown.length
  return [
    `${head} ${colors.dim(url)}`,
    counts,
    ...shown.map((one) => attentionLine(one, self, width)),
    ...(rest === 0 ? [] : [`  and ${rest} more: ${self} status --json`]),
  ].join('\n')
}

/** One line each, which keeps the output at ten lines: the named command shows the rest. */
function attentionLine({ what, command }: Attention, self: string, width: number): string {
  const tail = `: ${self} ${command}`
  const room = Math.max(20, width - tail.length - 4)
  const text = printable(what)
  const cut = text.length <= room ? text : `${text.slice(0, room - 1)}…`
  return wrapped(`${cut}${tail}`, '  - ', 4, Number.POSITIVE_INFINITY).join('')
}
