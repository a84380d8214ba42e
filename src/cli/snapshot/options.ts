import { type Command, Option } from 'commander'

/** Options by which every command that judges a fleet finds its facts. */
export interface SnapshotOptions {
  /** Only of commands that judge. */
  readonly snapshot?: string
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace?: readonly string[]
  readonly label?: readonly string[]
  readonly node?: readonly string[]
  readonly githubRunnersJson?: readonly string[]
  readonly githubJobsJson?: readonly string[]
  readonly githubJobLog?: readonly string[]
}

const group = 'Facts:'

/** Declares the options of `openSnapshot`: of a command that judges, with `--snapshot`; see docs/snapshots.md. */
export function addSnapshotOptions(command: Command, { withFile }: { readonly withFile: boolean }): Command {
  const options = [
    ...(withFile
      ? [new Option('--snapshot <file>', 'judge this snapshot instead of reading the fleet now')]
      : []),
    new Option('--kubeconfig <file>', 'of the cluster; else fleet.kubeconfig, or as kubectl finds it'),
    new Option('--context <name>', 'of the kubeconfig; else its current one'),
    repeated('--namespace <name>', 'only this namespace'),
    repeated('--label <label>', 'only scale sets with this runner label'),
    repeated('--node <name>', 'only this node'),
    repeated(
      '--github-runners-json <[scope=]file>',
      "GitHub's list of runners in a file, of an organisation or repository (acme=runners.json)",
    ),
    repeated('--github-jobs-json <file>', "GitHub's list of jobs in a file"),
    repeated('--github-job-log <job=file>', 'the log of one of these jobs in a file (87=job.log)'),
  ]
  for (const option of options) command.addOption(option.helpGroup(group))
  return command
}

function repeated(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`).argParser(
    (value: string, before: readonly string[] = []) => [...before, value],
  )
}
