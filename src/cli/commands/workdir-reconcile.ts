import type { Command } from 'commander'
import { type WorkdirReconcile, workdirReconcile } from '../../api/index.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { reconcileText } from '../output/workdir-reconcile.ts'
import { chosenHosts, contractOption } from '../workdir/declared-hosts.ts'
import { judgeHosts } from '../workdir/judge-hosts.ts'

interface ReconcileOptions {
  readonly json?: boolean
  readonly contract?: string
  readonly host?: string
}

/** Adds `workdir reconcile`: the next command for each host. It changes nothing. */
export function addWorkdirReconcile(workdir: Command, context: Context): void {
  const command = define(workdir, context, {
    name: 'reconcile',
    description:
      'Look at all declared hosts, and name the next command for each: drain what is contaminated, treat its one folder, start what is drained and in order. It changes nothing.',
    example: [
      'holdfast workdir reconcile --contract holdfast-contract.yaml',
      'holdfast workdir reconcile --host honey-am-2 --contract holdfast-contract.yaml --json',
    ].join('\n'),
    settings: 'none',
  })
    .option('--host <name>', 'this host only')
    .option(...contractOption)
    .addHelpText('after', exitHelp)
  command.action(async (options: ReconcileOptions) => {
    const judged = await judgeHosts(chosenHosts(options, options.host, context), context)
    const report = workdirReconcile(judged, ` --contract ${options.contract}`, context.clock.now())
    printResult(context, options, report, reconcileText(report, context))
    context.exitCode = exitOf(report)
  })
}

const exitHelp = `
Exit codes:
  0  every host takes jobs and is in order
  1  something is to do on a host, whatever else could not be judged
  2  nothing is known to do, and not every host could be judged; or the
     command was not understood`

function exitOf({ hosts }: WorkdirReconcile): number {
  const isOpen = (host: WorkdirReconcile['hosts'][number]): boolean =>
    ['unreachable', 'in-use', 'unknown'].includes(host.verdict)
  if (hosts.some((host) => host.next.kind !== 'none' && !isOpen(host))) return 1
  return hosts.some(isOpen) ? 2 : 0
}
