import { type Command, Option } from 'commander'
import { readContract } from '../../contract-file/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { type TimelinePart, timelineParts } from '../output/case-timeline.ts'
import { triageText } from '../output/triage.ts'
import { addSnapshotOptions, type SnapshotOptions } from '../snapshot/options.ts'
import { answer } from '../triage/answer.ts'

const exitHelp = `
Exit codes:
  0  something says what happened, or what it waits for
  ${exitCodes.noVerdict}  it is known, and not what happened: what is missing is listed
  ${exitCodes.notFound}  nothing is known under this name
  ${exitCodes.usage}  the name may mean several things, or was not understood
  ${exitCodes.unavailable}  neither Holdfast, nor the cluster, nor the forge answers`

interface TriageOptions extends SnapshotOptions {
  readonly json?: boolean
  readonly contract?: string
  readonly timeline: TimelinePart
}

/** Adds `triage`, the one entrance: from a job, a run, a runner, a pod or a log to what is known of it. */
export function addTriage(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'triage',
    description:
      'Say what is wrong with a job, run, runner, pod or log: asks the entries of the troubleshooting guide that apply, and names what is missing and how to get it. It reads only.',
    example: [
      'holdfast triage https://github.com/acme/web/actions/runs/31/job/87',
      'holdfast triage linux-x7k2p-runner-9wq4d --snapshot incident.snapshot.gz',
      'gh run view --log 31 > job.log && holdfast triage job.log',
    ].join('\n'),
    settings: 'client',
  })
    .argument(
      '<subject>',
      "the URL of a job or run, a runner, a pod (name or namespace/name), or a file with a job's log; - reads a log that is piped in",
    )
    .option('--contract <file>', 'what this installation declares about itself: docs/contract-file.md')
    .addOption(
      new Option(
        '--timeline <part>',
        'rows of the timeline of forge, cluster and node: those around the end, or all; --json has all',
      )
        .choices(timelineParts)
        .default('end'),
    )
  addSnapshotOptions(command, { withFile: true })
  command.addHelpText('after', exitHelp)
  command.action(async (asked: string, options: TriageOptions) => {
    const contract = options.contract === undefined ? null : readContract(options.contract, context.readFile)
    const hasFile = options.snapshot !== undefined
    const report = await answer({ asked, contract, hasFile }, command, context)
    printResult(context, options, report, triageText(report, options.timeline, context))
    if (!report.isReached) context.exitCode = exitCodes.noVerdict
  })
}
