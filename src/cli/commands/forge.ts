import type { Command } from 'commander'
import { auditReportSchema, forgeStatusSchema } from '../../api/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, tell } from '../context.ts'
import { define } from '../define.ts'
import { allowanceText, auditText } from '../output/audit.ts'

/**
 * A comparison reads every list that the forge has, which takes its time where there are many repositories. Below the
 * 5 min after which fetch itself gives up.
 */
const auditTimeoutMs = 290_000

/** What concerns the forge as a whole. */
export function addForge(program: Command, context: Context): void {
  const forge = program.command('forge').description('Compare with the forge, and see what it still allows.')
  const audit = define(forge, context, {
    name: 'audit',
    description: "Compare with the forge's own lists now: show what differs and what was done about it.",
    example: 'holdfast forge audit',
    settings: 'client',
  })
  audit.action(async (options: { json?: boolean }) => {
    const server = await findServer(audit, context)
    const report = await server.post('/v1/forge/audit', auditReportSchema, { timeoutMs: auditTimeoutMs })
    tell(context, options, report, auditText(report, context))
    if (report.putOff !== null) context.exitCode = exitCodes.unavailable
  })

  const budget = define(forge, context, {
    name: 'budget',
    description: 'Show how many calls the forge still allows, until when, and the pace of the sweeps.',
    example: 'holdfast forge budget',
    settings: 'client',
  })
  budget.action(async (options: { json?: boolean }) => {
    const status = await (await findServer(budget, context)).get('/v1/forge', forgeStatusSchema)
    tell(context, options, status, allowanceText(status, context))
  })
}
