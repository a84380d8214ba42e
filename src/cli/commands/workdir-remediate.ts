import { type Command, Option } from 'commander'
import { type FolderMode, folderModes, isPlainName } from '../../domain/workdir/index.ts'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { hostTreatedText } from '../output/host-treated.ts'
import { remedyExitCode, remedyExitHelp } from '../remedy/exit.ts'
import { usage } from '../usage.ts'
import { chosenHost, contractOption } from '../workdir/declared-hosts.ts'

interface RemediateOptions {
  readonly json?: boolean
  readonly contract?: string
  readonly mode?: FolderMode
  readonly apply?: string
  readonly confirmDrained?: boolean
}

/** Adds `workdir remediate`: the plan by default, and with `--apply` exactly that plan or nothing. */
export function addWorkdirRemediate(workdir: Command, context: Context): void {
  const command = define(workdir, context, {
    name: 'remediate',
    description:
      'Plan to empty the one folder that a drained runner cannot empty, and with --apply do exactly that: looked at again right before, by Holdfast and by the host itself, and audited after.',
    example: [
      'holdfast workdir remediate honey-am-2 web --contract holdfast-contract.yaml',
      'holdfast workdir remediate honey-am-2 web --mode unlock --contract holdfast-contract.yaml',
      'holdfast workdir remediate honey-am-2 web --contract holdfast-contract.yaml --apply <hash> --confirm-drained',
    ].join('\n'),
    settings: 'client',
  })
    .argument('<host>', 'a host of the contract file')
    .argument('<repository>', 'the folder of the repository, directly in its work folder')
    .option(...contractOption)
    .addOption(
      new Option(
        '--mode <mode>',
        'remove its content (the default), or only give the runner the bits on its own directories back',
      ).choices(folderModes),
    )
    .option('--apply <hash>', 'apply exactly the plan of this hash, or nothing')
    .option('--confirm-drained', 'needed with --apply: the host is drained on purpose, and stays so')
    .addHelpText('after', remedyExitHelp)
  command.action(async (name: string, folder: string, options: RemediateOptions) => {
    const { apply, mode, confirmDrained = false } = options
    if (!isPlainName(folder) || folder.startsWith('_'))
      throw usage(
        'expected the name of a repository’s folder: letters, digits and . _ @ + -, and no underscore first',
      )
    if (apply !== undefined && mode !== undefined) throw usage('--apply stands alone: the plan says how')
    if (apply !== undefined && !confirmDrained)
      throw usage('--apply needs --confirm-drained: nobody starts the runner before this ends')
    if (apply === undefined && confirmDrained) throw usage('--confirm-drained belongs to --apply')
    const host = chosenHost(options, name, context)
    const order = {
      host,
      wish: { remedy: 'workdir-remediate', folder, mode: mode ?? 'remove' },
      apply: apply ?? null,
      waitMs: 0,
    } as const
    const report = await context.roles.treatHost(loadFor(command, context).config, order, context.signal)
    const again = `holdfast workdir remediate ${name} ${folder} --contract ${options.contract}`
    printResult(context, options, report, hostTreatedText(report, `${again} --confirm-drained`, context))
    context.exitCode = remedyExitCode(report.state)
  })
}
