import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JobList, JobSummary } from '../../src/api/index.ts'
import { askForge, outcomesOf, startsAndEnds, submit, until } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { type Ended, type Launched, launch } from '../program/support/program.ts'
import { isRoot } from '../support/embedded.ts'
import { leftovers } from '../support/leftovers.ts'
import { whyNoMounts } from '../support/small-disk.ts'
import { type FreshClone, freshClone } from './support/fresh-clone.ts'
import { blockOf, notPrinted, taskCommands } from './support/readme.ts'
import { ctrlC, inTerminal } from './support/terminal.ts'
import { tasks } from './tasks.ts'

const hourMs = 600_000
const many = 2_000

// These tests run in order, as one hour of one user: a fresh clone, the README's commands, work of real length, then its parts are killed.
describe('the first hour of a user', { timeout: 180_000 }, () => {
  let place: Place
  let clone: FreshClone
  let program: Launched
  let long: Promise<Ended[]>

  beforeAll(async () => {
    clone = await freshClone()
    place = await newPlace()
  })
  afterAll(async () => {
    await program?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
    await clone?.[Symbol.asyncDispose]()
  })

  /** In a second terminal, which does not know the ports of the first. */
  const holdfast = (...args: string[]): Promise<Ended> => {
    const { HOLDFAST_HTTP_PORT: _, HOLDFAST_FORGE_SIMULATED_PORT: __, ...env } = place.env
    const second = { ...place, env }
    return launch(second, { command: [path.join(clone.path, 'bin/holdfast')], args, lifeMaxMs: hourMs }).ended
  }

  it('`npm ci` says nothing that looks like a failure', () => {
    expect(clone.installed).not.toMatch(/ERR!|EBADENGINE|deprecated/)
  })

  it.runIf(whyNoMounts() === null)('the checkout is read-only from here on, also for root', async () => {
    await expect(writeFile(path.join(clone.path, 'x'), '')).rejects.toThrow('EROFS')
  })

  it('`npm start` in a terminal prints the banner of the README, which is that of root', async () => {
    program = inTerminal(place, `npm --prefix ${clone.path} start`)
    await program.says(/a restart goes on where it was/)
    expect(program.written()).toMatch(/Holdfast serves\./)
    if (isRoot) expect(notPrinted(blockOf('Holdfast serves.'), program.written())).toEqual([])
  })

  it('a job of a second ends with success', async () => {
    const { code, out } = await holdfast('submit', '--script', 'sleep 1; echo up early', '--wait')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/job 1 acme\/web test: success/) })
  })

  // Both outlast what the simulated forge waits for a silent runner (`forge.simulated.lockRenewTimeoutMs`, 20 s).
  it('`demo` prints what the README shows, while jobs of 25 s and 90 s run', async () => {
    long = Promise.all(
      [25, 90].map((seconds) => holdfast('submit', '--script', `sleep ${seconds}`, '--wait', '--json')),
    )
    const { code, out } = await holdfast('demo')
    expect(code).toBe(0)
    expect(notPrinted(blockOf('What became of them'), out)).toEqual([])
  })

  it('`explain` says why the runner of the demo died, as the README shows', async () => {
    const { jobs } = JSON.parse((await holdfast('jobs', '--all', '--json')).out) as { jobs: JobSummary[] }
    const killed = jobs.find(({ name }) => name === 'deploy')
    const { code, out } = await holdfast('explain', String(killed?.id))
    expect(code).toBe(0)
    expect(notPrinted(blockOf('Job 2, acme/api'), out)).toEqual([])
  })

  it('each command of the table of tasks is known to this test', () => {
    expect(taskCommands().filter((command) => tasks[command] === undefined)).toEqual([])
  })

  it.each(
    Object.entries(tasks).flatMap(([command, task]) => (typeof task === 'string' ? [] : [{ command, task }])),
  )('`$command` answers as a user expects', async ({ task }) => {
    const { code, out, err } = await holdfast(...task.args)
    expect({ code, text: out + err }).toEqual({
      code: task.code ?? 0,
      text: expect.stringMatching(task.says),
    })
    expect(out + err).not.toMatch(/^\s+at .*\.ts:\d+/m)
  })

  it('colours are for terminals only, and not for dumb ones', async () => {
    const colour = '\u001b['
    const command = `${clone.path}/bin/holdfast jobs --all`
    expect((await inTerminal(place, command).ended).out).toContain(colour)
    expect((await inTerminal(place, command, { TERM: 'dumb' }).ended).out).not.toContain(colour)
    expect((await holdfast('jobs', '--all')).out).not.toContain(colour)
  })

  it('the long jobs ended with success, each at its first attempt', async () => {
    const ends = (await long).map(({ out }) => JSON.parse(out) as { forgeJobId: number; job: JobSummary })
    expect(ends.map(({ job }) => job)).toMatchObject(ends.map(() => ({ outcome: 'success', requeues: 0 })))
    const ids = ends.map(({ forgeJobId }) => forgeJobId)
    expect(await startsAndEnds(place, ids)).toEqual(ids.map(() => '1 start, success'))
  })

  it('2,000 jobs that wait are counted, and the list goes on by its cursor from the oldest', async () => {
    const ids = await submitForNobody(place, many)
    const waiting = async () => JSON.parse((await holdfast('jobs', '--unreachable', '--json')).out) as JobList
    await expect.poll(async () => (await waiting()).total, { timeout: 120_000, interval: 2_000 }).toBe(many)
    expect((await waiting()).jobs[0]?.forgeJobId).toBe(ids[0])
    const { out } = await holdfast('jobs')
    expect(out).toMatch(/50 shown of 2000; the next ones: .* --cursor \S+/)
    const [, cursor = ''] = out.match(/--cursor (\S+)/) ?? []
    expect((await holdfast('jobs', '--cursor', cursor)).out).toMatch(/50 shown of 2000/)
  })

  it('a killed Postgres comes back, and the jobs go on', async () => {
    const [id = 0] = await submit(place, 'sleep 5')
    await until(place, [id], ({ state }) => state === 'running')
    const pid = (
      await readFile(path.join(place.dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
    ).split('\n')[0]
    process.kill(Number(pid), 'SIGKILL')
    await program.says(/the embedded Postgres serves again/)
    expect(await outcomesOf(place, [id])).toEqual(['success'])
  })

  // Each is the parent of the next, so that its end is seen by the one before.
  it('a killed supervisor, poller or runner costs its own job alone, and its death is on record', async () => {
    const ids = await submit(place, ...runnerParts.map(() => 'sleep 100'), 'sleep 10')
    const jobs = await until(place, ids, ({ state }) => state === 'running')
    for (const [at, part] of runnerParts.entries())
      process.kill(await runnerPart(place, jobs[at]?.executor ?? '', part), 'SIGKILL')
    expect((await outcomesOf(place, ids)).at(-1)).toBe('success')
    for (const { id } of jobs.slice(0, -1))
      expect((await holdfast('explain', String(id))).out).toMatch(/Verdict.*sigkill-unknown/s)
  })

  it('a killed Holdfast finds its running job again, and prints no colours in a dumb terminal', async () => {
    const [id = 0] = await submit(place, 'sleep 8')
    const [before] = await until(place, [id], ({ state }) => state === 'running')
    process.kill(await pidOf(place), 'SIGKILL')
    await program.ended
    program = inTerminal(place, `npm --prefix ${clone.path} start`, { TERM: 'dumb' })
    await program.says(/a restart goes on where it was/)
    expect(program.written()).not.toContain('\u001b[')
    expect(await until(place, [id], ({ endedAt }) => endedAt !== null)).toMatchObject([
      { outcome: 'success', executor: before?.executor },
    ])
  })

  it('Ctrl-C ends it in order, and nothing is left', async () => {
    program.type(ctrlC)
    const { out } = await program.ended // the exit code is npm's, 130 for every Ctrl-C
    expect(out).toMatch(/stopping; a second signal ends at once/)
    expect(await leftovers(place.dataDir), out.slice(-4_000)).toEqual([])
  })
})

const runnerParts = ['supervisor', 'poller', 'program'] as const

/**
 * A process of the runner that the forge knows as this executor. The supervisor names the runner in its command; each of the others
 * is the child of the one before.
 */
async function runnerPart(
  { dataDir }: Place,
  executor: string,
  part: (typeof runnerParts)[number],
): Promise<number> {
  const runner = executor.replace(/-[^-]*$/, '')
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = (pid: string | undefined, file: string) =>
    readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const commands = await Promise.all(pids.map((pid) => read(pid, 'cmdline')))
  let pid = pids.find((_, at) => commands[at]?.endsWith(`\0${runner}\0`) && commands[at].includes(dataDir))
  for (let down = 0; down < runnerParts.indexOf(part); down += 1)
    pid = (await read(pid, `task/${pid}/children`)).trim().split(' ')[0]
  if (!pid) throw new Error(`${runner} has no ${part}`)
  return Number(pid)
}

/** The process that holds the data folder, by its own lock file. */
async function pidOf({ dataDir }: Place): Promise<number> {
  const lock = await readFile(path.join(dataDir, 'postgres', 'holdfast.lock'), 'utf8')
  return (JSON.parse(lock) as { pid: number }).pid
}

/** Jobs with a label that no pool serves, at the forge's own door; gives the forge's numbers. */
async function submitForNobody(place: Place, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let each = 0; each < count; each += 1) {
    const job = {
      repository: 'acme/web',
      name: `train-${each}`,
      labels: ['self-hosted', 'gpu'],
      script: 'true',
    }
    ids.push(((await askForge(place, 'jobs', job)) as { id: number }).id)
  }
  return ids
}
