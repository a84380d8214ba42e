import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

/*
 * Packs states of a real ARC, one folder of `kubectl get -o json` files and logs for each, into one file for each:
 *   node scripts/pack-arc-states.ts <folder with one folder per release and state>
 */

const target = join(import.meta.dirname, '../test/fixtures/arc')
const kinds = [
  'autoscalingrunnersets',
  'autoscalinglisteners',
  'ephemeralrunnersets',
  'ephemeralrunners',
  'pods',
  'events',
  'resourcequotas',
]

const [source] = process.argv.slice(2)
if (source === undefined) throw new Error('Which folder? It has one folder per release, with one per state.')

let count = 0
for (const release of await foldersIn(source)) {
  await mkdir(join(target, release), { recursive: true })
  for (const state of await foldersIn(join(source, release))) {
    const packed = gzipSync(JSON.stringify(await stateIn(join(source, release, state))), { level: 9 })
    await writeFile(join(target, release, `${state}.json.gz`), packed)
    count += 1
  }
}
console.log(`${count} states in ${target}`)

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

async function stateIn(folder: string): Promise<unknown> {
  const { at, how } = await jsonIn(join(folder, 'summary.json'))
  const { agentList, jobs, now } = await jsonIn(join(folder, 'github-standin.json'))
  const present = new Set(await readdir(folder))
  const lists = kinds.filter((kind) => present.has(`${kind}.json`))
  const objects = lists.map(async (kind) => [kind, (await jsonIn(join(folder, `${kind}.json`))).items])
  return {
    at,
    how,
    objects: Object.fromEntries(await Promise.all(objects)),
    logs: { controller: await linesIn(folder, 'manager'), listener: await linesIn(folder, 'listener') },
    forge: { now, runners: agentList ?? [], jobs: jobs ?? [] },
  }
}

async function jsonIn(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, 'utf8'))
}

async function linesIn(folder: string, name: string): Promise<string[]> {
  const text = gunzipSync(await readFile(join(folder, `${name}.200.log.gz`))).toString()
  return text.split('\n').filter((line) => line !== '')
}
