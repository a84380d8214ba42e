import type { Command } from 'commander'
import { forgeStatusSchema, resyncReportSchema } from '../../api/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { allowanceText, resyncText } from '../output/resync.ts'

/**
 * A resync reads every list of the forge, which takes long where there are many repositories. Below the 5 min after which
 * fetch itself gives up.
 */
const resyncTimeoutMs = 290_000

/** Adds the commands about the forge as a whole. */
export function addForge(program: Command, context: Context): void {
  const forge = program.command('forge').description('Compare with the forge, and see what it still allows.')
  const resync = define(forge, context, {
    name: 'resync',
    description: "Compare with the forge's own lists now: show what differs and what was done about it.",
    example: 'holdfast forge resync',
    settings: 'client',
  })
  resync.action(async (options: { json?: boolean }) => {
    const server = await findServer(resync, context)
    const report = await server.post('/v1/forge/resync', resyncReportSchema, { timeoutMs: resyncTimeoutMs })
    printResult(context, options, report, resyncText(report, context))
    if (report.putOff !== null) context.exitCode = exitCodes.unavailable
  })

  const budget = define(forge, context, {
    name: 'budget',
    description: 'Show how many calls the forge still allows, until when, and the pace of the resyncs.',
    example: 'holdfast forge budget',
    settings: 'client',
  })
  budget.action(async (options: { json?: boolean }) => {
    const status = await (await findServer(budget, context)).get('/v1/forge', forgeStatusSchema)
    printResult(context, options, status, allowanceText(status, context))
  })
}
