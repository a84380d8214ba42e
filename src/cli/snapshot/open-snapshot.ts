import type { Command } from 'commander'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import type { CollectOrder, ForgeWishes } from '../../snapshot/index.ts'
import { loadFor } from '../configuration.ts'
import type { Context } from '../context.ts'
import type { SnapshotOrder } from '../deps.ts'
import { usage } from '../usage.ts'
import type { SnapshotOptions } from './options.ts'
import { readOwnPools } from './own-pools.ts'
import { createProgress } from './progress.ts'

/** Wishes of a command for its reading, besides its options. */
type Wishes = ForgeWishes & Pick<CollectOrder, 'mayBeEmpty'>

/**
 * The snapshot that a command judges: that of `--snapshot`, else the facts of now, with progress for a person who waits.
 * The command has the options of `addSnapshotOptions`, and the settings of a client. Of a file, `--namespace`, `--label`
 * and `--node` narrow nothing here: the audit narrows what it says. Nor do they where `isNarrowed` is false.
 */
export async function openSnapshot(
  command: Command,
  context: Context,
  wishes: Wishes = {},
  isNarrowed = true,
): Promise<Snapshot> {
  const { snapshot } = command.opts<SnapshotOptions>()
  return snapshot === undefined
    ? collectNow(command, context, wishes, isNarrowed)
    : await context.roles.readSnapshot(snapshot)
}

/** Reads the facts of now, also where a file is named. */
export async function collectNow(
  command: Command,
  context: Context,
  wishes: Wishes = {},
  isNarrowed = true,
): Promise<Snapshot> {
  const options = command.opts<SnapshotOptions>()
  const { config } = loadFor(command, context)
  const progress = createProgress(context)
  try {
    progress.show('looking for a Holdfast')
    const order: SnapshotOrder = {
      ...wishes,
      scope: isNarrowed ? scopeOf(options) : wholeFleet,
      ownPools: await readOwnPools(command, context),
      kubeconfig: options.kubeconfig ?? config.fleet.kubeconfig,
      context: options.context,
      files: {
        runners: (options.githubRunnersJson ?? []).map(runnersFile),
        jobs: options.githubJobsJson ?? [],
        logs: (options.githubJobLog ?? []).map(logFile),
      },
      onProgress: progress.show,
    }
    return await context.roles.collectSnapshot(config, order, context.signal)
  } finally {
    progress.clear()
  }
}

/** Of a judgement in which everything counts that runs on a node, also what was not asked for. */
const wholeFleet = { namespaces: null, labels: null, nodes: null }

function scopeOf({ namespace, label, node }: SnapshotOptions): SnapshotOrder['scope'] {
  return { namespaces: namespace ?? null, labels: label ?? null, nodes: node ?? null }
}

/** `acme=runners.json` or `runners.json`; a path that has the sign itself is written with its folder: `./a=b.json`. */
function runnersFile(text: string): SnapshotOrder['files']['runners'][number] {
  const [, scope, path] = /^([\w.-]+(?:\/[\w.-]+)?)=(.+)$/.exec(text) ?? []
  return scope === undefined || path === undefined || scope.startsWith('.')
    ? { scope: null, path: text }
    : { scope, path }
}

function logFile(text: string): NonNullable<SnapshotOrder['files']['logs']>[number] {
  const [, jobId, path] = /^(\d{1,15})=(.+)$/.exec(text) ?? []
  if (jobId === undefined || path === undefined)
    throw usage(`--github-job-log "${text}" names no job: expected <job>=<file>, such as 87=job.log`)
  return { jobId: Number(jobId), path }
}
