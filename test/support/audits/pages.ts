import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type CliDeps, type Roles, runCli } from '../../../src/cli/index.ts'
import { audits, type FindingClass } from '../../../src/domain/audit/index.ts'
import { readAt } from '../../../src/domain/snapshot/testing/facts.ts'
import { readSnapshotFile } from '../../../src/main/commands/snapshot/index.ts'
import { readTail } from '../../../src/main/machine/read-tail.ts'
import { roles } from '../holdfast-cli.ts'
import { createPageFleet } from './page-fleet.ts'

export const root = path.join(import.meta.dirname, '../../..')
/** Age of the facts in every example. */
const ageMs = 12_000

/** Pages whose commands are run, and whose output and lists of classes are generated. */
export function auditPages(): readonly string[] {
  const folder = 'docs/audits'
  const names = readdirSync(path.join(root, folder)).filter((name) => name.endsWith('.md'))
  return ['README.md', 'docs/next-to-arc.md', ...names.map((name) => `${folder}/${name}`)]
}

/**
 * A page with what its commands print now, and the classes of its audit. A fenced block `console` holds commands after
 * `$ `, each with its output and exit code. They run one after the other on one fleet: a hash or head in a command is the
 * newest that was printed before it.
 */
export async function refreshed(text: string): Promise<string> {
  let page = text
  const fleet = createPageFleet()
  const printed: string[] = []
  for (const [whole, body = ''] of text.matchAll(/```console\n([\s\S]*?)```/g)) {
    const commands = body.split('\n').filter((line) => line.startsWith('$ '))
    const parts: string[] = []
    for (const line of commands) {
      parts.push(await outputOf(withNewest(line, printed), fleet))
      printed.push(...parts.slice(-1))
    }
    page = page.replace(whole, () => `\`\`\`console\n${parts.join('\n')}\n\`\`\``)
  }
  return page.replaceAll(
    /(<!-- classes of ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}${classTable(name)}\n${end}`,
  )
}

/** The command with the newest hash and head that plans and runs before it printed. */
function withNewest(line: string, printed: readonly string[]): string {
  const newest = (pattern: RegExp): string | undefined =>
    printed.flatMap((text) => [...text.matchAll(pattern)]).at(-1)?.[1]
  return line
    .replace(/(?<=--apply )[0-9a-f]{64}/, (hash) => newest(/^Plan ([0-9a-f]{64})$/gm) ?? hash)
    .replace(/(?<=--head )\d+:[0-9a-f]{64}/, (head) => newest(/head (\d+:[0-9a-f]{64})$/gm) ?? head)
}

async function outputOf(line: string, fleet: Partial<Roles>): Promise<string> {
  const args = line.replace(/^\$ holdfast /, '').split(' ')
  const { output, code } = await runAt(args, fleet)
  return `${line}\n${output.trimEnd()}\n[exit code ${code}]`
}

async function runAt(
  args: readonly string[],
  fleet: Partial<Roles>,
): Promise<{ output: string; code: number }> {
  const written: string[] = []
  const out = { write: (text: string) => written.push(text) }
  let now = readAt + ageMs
  const deps: CliDeps = {
    roles: {
      ...roles,
      ...fleet,
      async readSnapshot(file) {
        const snapshot = await readSnapshotFile(path.join(root, file))
        now = snapshot.takenAt + ageMs
        return snapshot
      },
    },
    env: { HOLDFAST_DATA_DIR: '/var/lib/holdfast' },
    // No settings but these: what a page names stands in the repository.
    readFile: (file) => (path.isAbsolute(file) ? undefined : readFileSync(path.join(root, file), 'utf8')),
    readTail: async (file, bytesMax) => ({
      ...(await readTail(path.join(root, file), bytesMax)),
      writtenAt: readAt,
    }),
    isRoot: false,
    instances: { in: async () => null, all: async () => [] },
    self: 'holdfast',
    stdout: out,
    stderr: out,
    isTerminal: false,
    columns: 80,
    fetch: () => Promise.reject(new Error('nothing is asked for here')),
    clock: { now: () => now, sleep: () => Promise.reject(new Error('ended')), after: () => () => {} },
    signal: new AbortController().signal,
    version: '0.1.0',
  }
  const code = await runCli(args, deps)
  return { output: written.join(''), code }
}

function classTable(name: string): string {
  const audit = audits.find((each) => each.name === name)
  const row = ({ name: own, title }: FindingClass): string =>
    `| [\`${own}\`](../reference/audits.md#${own}) | ${title} |`
  return ['| class | means |', '|---|---|', ...(audit?.classes ?? []).map(row)].join('\n')
}
