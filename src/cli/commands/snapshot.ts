import type { Command } from 'commander'
import { bytes } from '../../domain/format.ts'
import { diffSnapshots, overviewOf } from '../../snapshot/index.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { diffText } from '../output/snapshot/diff.ts'
import { overviewText } from '../output/snapshot/overview.ts'
import { collectNow } from '../snapshot/open-snapshot.ts'
import { addSnapshotOptions } from '../snapshot/options.ts'

interface SaveOptions {
  readonly json?: boolean
  readonly force?: boolean
}

/** Adds `snapshot`: the facts of a fleet in a file. */
export function addSnapshot(program: Command, context: Context): void {
  const snapshot = program
    .command('snapshot')
    .description('Keep the facts of a fleet in a file, to judge, mail and compare them.')
  addSave(snapshot, context)
  addShow(snapshot, context)
  addDiff(snapshot, context)
}

function addSave(snapshot: Command, context: Context): void {
  const command = define(snapshot, context, {
    name: 'save',
    description:
      'Read what cluster, forge and files say, and write it to a file without secrets. What cannot be read is noted with the right that is missing.',
    example: [
      'holdfast snapshot save before.snapshot.gz',
      'holdfast snapshot save --namespace arc-runners --namespace arc-systems',
      'gh api --paginate /orgs/acme/actions/runners > runners.json',
      'holdfast snapshot save --github-runners-json acme=runners.json incident.snapshot.gz',
    ].join('\n'),
    settings: 'client',
  })
    .argument('[file]', 'to write; unset: a name with the time, in this folder')
    .option('--force', 'replace the file if it is there')
  addSnapshotOptions(command, { withFile: false })
  command.action(async (given: string | undefined, options: SaveOptions) => {
    const file = given ?? fileNow(context.clock.now())
    const written = await context.roles.writeSnapshot(file, {
      collect: () => collectNow(command, context),
      isReplacing: options.force === true,
    })
    const overview = overviewOf(written.snapshot)
    const text = `${overviewText(overview, context)}\n\nSaved to ${file} (${bytes(written.bytes)}).`
    printResult(context, options, { file, bytes: written.bytes, ...overview }, text)
  })
}

function addShow(snapshot: Command, context: Context): void {
  const command = define(snapshot, context, {
    name: 'show <file>',
    description:
      'Show what is in a snapshot: how many of each, how old, what could not be read and why, and what reading cost.',
    example: 'holdfast snapshot show incident.snapshot.gz',
    settings: 'none',
  })
  command.action(async (file: string, options: { json?: boolean }) => {
    const overview = overviewOf(await context.roles.readSnapshot(file))
    printResult(context, options, overview, overviewText(overview, context))
  })
}

function addDiff(snapshot: Command, context: Context): void {
  const command = define(snapshot, context, {
    name: 'diff <before> <after>',
    description:
      'Show what was added, removed and changed between two snapshots. Values of secrets are compared by hash, where one key made both.',
    example: 'holdfast snapshot diff before.snapshot.gz after.snapshot.gz',
    settings: 'none',
  })
  command.action(async (before: string, after: string, options: { json?: boolean }) => {
    const { readSnapshot } = context.roles
    const diff = diffSnapshots(await readSnapshot(before), await readSnapshot(after))
    printResult(context, options, diff, diffText(diff, context))
  })
}

/** `holdfast-2026-06-01T03-00-00Z.snapshot.gz`: colons are no part of file names everywhere. */
function fileNow(now: number): string {
  const at = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z')
  return `holdfast-${at.replaceAll(':', '-')}.snapshot.gz`
}
