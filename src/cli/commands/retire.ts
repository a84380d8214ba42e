import type { Command } from 'commander'
import { type RetireAnswer, retireAnswerSchema } from '../../api/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { printable } from '../output/printable.ts'

interface RetireOptions {
  readonly json?: boolean
  readonly installation: string
  readonly dryRun?: boolean
}

/** Adds `jobs retire`, which closes the jobs of a forge that is not served any more. */
export function addRetire(jobs: Command, context: Context): void {
  const retire = define(jobs, context, {
    name: 'retire',
    description:
      'Close every open job of a forge installation that is not served any more, with their attempts, webhooks and incidents.',
    example:
      'holdfast jobs retire --installation simulated --dry-run\nholdfast jobs retire --installation simulated',
    settings: 'client',
  })
    .requiredOption('--installation <name>', 'whose jobs, as holdfast jobs and holdfast why name it')
    .option('--dry-run', 'only say how many there are')
  retire.action(async (options: RetireOptions) => {
    const path = `/v1/installations/${encodeURIComponent(options.installation)}/retire`
    const query = options.dryRun ? '?dryRun=true' : ''
    const answer = await (await findServer(retire, context)).post(`${path}${query}`, retireAnswerSchema)
    if (answer.failed.length > 0) context.exitCode = exitCodes.refused
    printResult(context, options, answer, retireText(answer))
  })
}

function retireText(answer: RetireAnswer): string {
  const { installation, dryRun, jobs, attempts, liveRunners, deliveries, incidents, failed } = answer
  const verb = dryRun ? 'would be closed' : 'closed'
  const lines = [
    `${jobs} jobs of ${installation} ${verb}, ${attempts} of them with an open attempt; with them ${deliveries} webhooks and ${incidents} incidents.`,
  ]
  if (liveRunners > 0) {
    lines.push(
      `${liveRunners} runners that live had one of them; they end when their job is over, or are stopped.`,
    )
  }
  for (const { job, reason } of failed) lines.push(`Job ${job} stays open: ${reason}`)
  return printable(lines.join('\n'))
}
