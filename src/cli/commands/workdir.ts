import type { Command } from 'commander'
import { type WorkdirTriage, workdirReport } from '../../api/index.ts'
import { exitCodes } from '../../domain/errors/index.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { workdirPage, workdirTriageText } from '../output/workdir.ts'
import { addSnapshotOptions } from '../snapshot/options.ts'
import { chosenHosts, contractOption, declaredHosts } from '../workdir/declared-hosts.ts'
import { judgeHosts } from '../workdir/judge-hosts.ts'
import { triageWorkdir } from '../workdir/triage.ts'
import { addWorkdirReconcile } from './workdir-reconcile.ts'
import { addWorkdirRemediate } from './workdir-remediate.ts'

interface WorkdirOptions {
  readonly json?: boolean
  readonly contract?: string
  readonly parseOnly?: boolean
}

/** Adds `workdir`: the work folders of persistent runners. Only `remediate --apply` changes one. */
export function addWorkdir(program: Command, context: Context): void {
  const workdir = program
    .command('workdir')
    .description('The work folders of persistent runners, on this machine and over ssh (docs/workdirs.md).')
  addWorkdirAudit(workdir, context)
  addWorkdirTriage(workdir, context)
  addWorkdirReconcile(workdir, context)
  addWorkdirRemediate(workdir, context)
}

function addWorkdirAudit(workdir: Command, context: Context): void {
  const command = define(workdir, context, {
    name: 'audit',
    description:
      'Judge the work folders of the declared hosts: entries that the runner cannot remove, stale locks of git, Workers at work, free space. It reads only.',
    example: [
      'holdfast workdir audit --contract holdfast-contract.yaml',
      'holdfast workdir audit honey-am-2 --contract holdfast-contract.yaml --json',
    ].join('\n'),
    settings: 'none',
  })
    .argument('[host]', 'this host only')
    .option(...contractOption)
  command.addHelpText('after', auditExitHelp)
  command.action(async (name: string | undefined, options: WorkdirOptions) => {
    const hosts = chosenHosts(options, name, context)
    const report = workdirReport(await judgeHosts(hosts, context), context.clock.now())
    printResult(context, options, report, workdirPage(report, context))
    context.exitCode = { clean: 0, findings: 1, unjudged: 2 }[report.outcome]
  })
}

const auditExitHelp = `
Exit codes:
  0  every host was judged, and nothing is wrong
  1  something is wrong, whatever else could not be judged
  2  nothing was found, and not everything could be judged: a host does not
     answer, a Worker is at work; or the command was not understood`

function addWorkdirTriage(workdir: Command, context: Context): void {
  const command = define(workdir, context, {
    name: 'triage',
    description:
      'From a job that failed in checkout to the host and the folder that made it fail, and a verdict on that folder as it is now. It reads only.',
    example: [
      'holdfast workdir triage https://github.com/acme/web/actions/runs/31 --contract holdfast-contract.yaml',
      'gh run view --log 31 > job.log && holdfast workdir triage job.log --contract holdfast-contract.yaml',
    ].join('\n'),
    settings: 'client',
  })
    .argument(
      '<subject>',
      "the URL of a job or run, or a file with a job's log; - reads a log that is piped in",
    )
    .option(...contractOption)
    .option('--parse-only', 'read the log, and contact no host')
  addSnapshotOptions(command, { withFile: true })
  command.addHelpText('after', triageExitHelp)
  command.action(async (asked: string, options: WorkdirOptions) => {
    const hosts = declaredHosts(options, context)
    const answer = await triageWorkdir(
      { asked, hosts, isParseOnly: options.parseOnly === true },
      command,
      context,
    )
    printResult(context, options, answer, workdirTriageText(answer, context))
    context.exitCode = exitOf(answer, options.parseOnly === true)
  })
}

const triageExitHelp = `
Exit codes:
  0  the folder is in order now; with --parse-only, the log leads to a folder
  1  the folder keeps the runner from working
  ${exitCodes.usage}  it could not be judged: no line of the log leads to a declared host, the
     host does not answer, a Worker is at work; or the command was not
     understood`

function exitOf({ verdict, host }: WorkdirTriage, isParseOnly: boolean): number {
  if (isParseOnly) return host === null ? exitCodes.usage : 0
  if (verdict === 'healthy' || verdict === 'drift') return 0
  return verdict === 'contaminated' || verdict === 'stale-lock' ? 1 : exitCodes.usage
}
