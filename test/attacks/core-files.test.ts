import { spawnSync } from 'node:child_process'
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { submit } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { cliCommand } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { processesOf } from '../support/leftovers.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { ownSecretsOf } from './support/own-secrets.ts'

const unlimited = ['sh', '-c', 'ulimit -c unlimited && cd "$CORES" && exec "$@"', 'unlimited']
const inEnvironment = 'planted-in-its-environment'
const inMemory = 'planted-in-memory'
/** Puts the words together by itself, so that they are in its memory alone, and ends by a signal that leaves a core file. */
const dumping = `planted=$(printf '%s-%s' planted in-memory); kill -SEGV $$`
const whyNot = await whyNoCoreFiles()
if (whyNot !== null) console.warn(`NOT TRIED, secrets in core files: ${whyNot}`)

describe.skipIf(whyNot !== null)('on a machine that keeps core files', { timeout: 120_000 }, () => {
  it('those of jobs are whole, and none of Holdfast, a supervisor, a poller or Postgres has a secret', async () => {
    const place = untilTestEnds(await newPlace())
    const env = { CORES: place.shared, PLANTED: inEnvironment }
    const program = untilTestEnds(await startProgram(place, { command: [...unlimited, ...cliCommand], env }))
    const copied = path.join(place.shared, 'of-a-job')
    await submit(
      place,
      `set +e; sh -c '${dumping.replaceAll("'", '"')}'; cat core* > ${copied}; echo > ${copied}-done; sleep 100`,
    )
    await expect
      .poll(() => readFile(`${copied}-done`).then(Boolean, () => false), { timeout: 30_000 })
      .toBe(true)
    expect((await readFile(copied)).includes(inMemory)).toBe(true)

    const secrets = [...(await ownSecretsOf(place)), { name: 'environment', secret: inEnvironment }]
    // Holdfast first: the living one would clear away what is left of the others.
    const parts = { holdfast: program.pid, ...(await otherParts(place)) }
    for (const [part, pid] of Object.entries(parts)) {
      const core = await coreOf(pid)
      const found = secrets.filter(({ secret }) => core.includes(secret)).map(({ name }) => name)
      expect({ part, found }).toEqual({ part, found: [] })
    }
  })
})

async function otherParts(place: Place): Promise<Record<string, number>> {
  const all = await processesOf(place.dataDir)
  const pidOf = (words: RegExp): number => {
    const found = all.find(({ command }) => words.test(command))
    if (found === undefined) throw new Error(`no process matches ${words}: ${JSON.stringify(all)}`)
    return found.pid
  }
  const poller = pidOf(/poller\/main\.ts/)
  const [, parent] = /^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${poller}/status`, 'utf8')) ?? []
  return { poller, supervisor: Number(parent), postgres: pidOf(/bin\/postgres /) }
}

/** Ends a process by a signal that leaves a core file, and gives that. */
async function coreOf(pid: number): Promise<Buffer> {
  const folder = await readlink(`/proc/${pid}/cwd`)
  for (const file of await coresIn(folder)) await rm(file)
  process.kill(pid, 'SIGSEGV')
  await expect
    .poll(() => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''), { timeout: 10_000 })
    .toBe('')
  const [file] = await coresIn(folder)
  if (file === undefined) throw new Error(`process ${pid} left no core file in ${folder}`)
  return readFile(file)
}

async function coresIn(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => /^core(\.\d+)?$/.test(name))
    .map((name) => path.join(folder, name))
}

/** Tried: a program of a service manager may take them, or the limit may be fixed. */
async function whyNoCoreFiles(): Promise<string | null> {
  const folder = await temporaryFolder()
  try {
    spawnSync('sh', ['-c', `ulimit -c unlimited && ${dumping}`], { cwd: folder.path })
    const [file] = await coresIn(folder.path)
    if (file === undefined) return 'a process that is killed by SIGSEGV leaves none in its folder here'
    return (await readFile(file)).includes(inMemory) ? null : 'they have no memory in them here'
  } finally {
    await folder[Symbol.asyncDispose]()
  }
}
