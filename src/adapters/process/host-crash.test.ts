import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ending } from '../../domain/death/index.ts'
import { shimKilled } from './index.ts'
import { bootId, hostMarker, identityOf, runnerMarker, shimMarker } from './proc/index.ts'
import type { RunnerRecord } from './records/index.ts'
import { type Bench, openBench, processesWith, stopOrder, until } from './testing/harness.ts'

let bench: Bench
const children: ChildProcess[] = []
beforeEach(async () => {
  bench = await openBench()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await bench[Symbol.asyncDispose]()
})

const inFolder = (...parts: string[]) => path.join(bench.folder, ...parts)
const recordOf = async (name: string) =>
  JSON.parse(await readFile(inFolder(name, 'runner.json'), 'utf8')) as RunnerRecord
const appears = (file: string) => until(`${file} appears`, () => stat(file).catch(() => null))

/** Starts a Holdfast in a process of its own, so that the test can kill it. */
async function startParent(name: string, script: string): Promise<ChildProcess> {
  const main = fileURLToPath(new URL('./testing/parent.ts', import.meta.url))
  const child = spawn(process.execPath, [main, 'stay', bench.folder, name, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return child
}

async function killAndWait(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('when Holdfast is killed', () => {
  it('its runner goes on and is adopted by the next Holdfast', async () => {
    await bench.host[Symbol.asyncDispose]()
    const parent = await startParent('pool-1', 'while [ ! -e end ]; do sleep 0.02; done; echo done; exit 5')
    const before = await recordOf('pool-1')
    await killAndWait(parent)
    await bench.reopen()
    expect(await bench.host.list()).toMatchObject([{ name: 'pool-1', pool: 'pool', state: 'running' }])
    expect(await recordOf('pool-1')).toEqual(before)
    await writeFile(inFolder('pool-1/work/end'), '')
    expect(await bench.ended('pool-1')).toMatchObject({ exitCode: 5, tail: 'done\n', missing: [] })
  })

  it('a runner that ended meanwhile has its ending after the restart', async () => {
    await bench.host[Symbol.asyncDispose]()
    const parent = await startParent('pool-1', 'while [ ! -e end ]; do sleep 0.02; done; kill -SEGV $$')
    await killAndWait(parent)
    await writeFile(inFolder('pool-1/work/end'), '')
    await appears(inFolder('pool-1/ending.json'))
    await bench.reopen()
    expect(await bench.ended('pool-1')).toMatchObject({ exitCode: null, signal: 'SIGSEGV', missing: [] })
  })

  it('an adopted runner can be stopped and released', async () => {
    await bench.host[Symbol.asyncDispose]()
    const parent = await startParent('pool-1', 'trap "" TERM; sleep 7101.1 & while :; do sleep 0.1; done')
    await killAndWait(parent)
    await bench.reopen()
    await bench.host.stop('pool-1', stopOrder('no longer wanted', 100))
    expect(await bench.host.ending('pool-1')).toMatchObject({ stopRequestedBy: 'no longer wanted' })
    await bench.host.release('pool-1')
    expect(await processesWith('7101.1')).toEqual([])
  })

  it('the next Holdfast completes a stop that it had begun', async () => {
    await bench.run('pool-1', 'trap "" TERM; echo > ready; while :; do sleep 0.1; done')
    await appears(inFolder('pool-1/work/ready'))
    await bench.host[Symbol.asyncDispose]()
    await writeFile(
      inFolder('pool-1/stop.json'),
      JSON.stringify({ reason: 'asked before the crash', requestedAt: Date.now() - 5_000, graceMs: 1_000 }),
    )
    await bench.reopen()
    expect(await bench.ended('pool-1')).toMatchObject({
      signal: 'SIGKILL',
      stopRequestedBy: 'asked before the crash',
    })
  })

  it('before the supervisor was started, the runner counts as never started and cannot start any more', async () => {
    await bench.run('pool-0', 'true')
    await bench.ended('pool-0')
    const start = JSON.parse(await readFile(inFolder('pool-0/start.json'), 'utf8'))
    await mkdir(inFolder('pool-1/work'), { recursive: true })
    await writeFile(inFolder('pool-1/start.json'), JSON.stringify({ ...start, name: 'pool-1' }))
    await bench.reopen()
    expect(await bench.ended('pool-1')).toMatchObject({
      exitCode: null,
      startedAt: null,
      missing: ['Holdfast ended before the runner was started'],
    })
    // A late supervisor does not start the runner any more.
    const main = fileURLToPath(new URL('./shim/main.ts', import.meta.url))
    const late = spawn(process.execPath, [main, inFolder('pool-1'), 'pool-1'], { stdio: 'ignore' })
    expect((await once(late, 'exit'))[0]).toBe(0)
    await expect(stat(inFolder('pool-1/runner.json'))).rejects.toThrow('ENOENT')
  })

  it('before the supervisor wrote its record, the supervisor is found by its mark and adopted', async () => {
    await bench.run('pool-1', 'sleep 30')
    const record = await recordOf('pool-1')
    await bench.host[Symbol.asyncDispose]()
    await rm(inFolder('pool-1/runner.json'))
    await bench.reopen()
    expect(await bench.host.list()).toMatchObject([{ name: 'pool-1', state: 'running' }])
    await bench.host.stop('pool-1', stopOrder('the test is over', 0))
    expect(identityOf(record.shim.pid)).toBeNull()
  })

  it('half-made and half-removed folders are deleted at the next start', async () => {
    await mkdir(inFolder('.starting-pool-1/work'), { recursive: true })
    await mkdir(inFolder('.released/pool-2-1/work'), { recursive: true })
    await bench.reopen()
    expect((await readdir(bench.folder)).filter((name) => name !== '.compile-cache')).toEqual([])
    expect(await bench.host.list()).toEqual([])
  })

  it('a process with our mark and without a record is killed', async () => {
    await bench.run('pool-1', 'true')
    await bench.ended('pool-1')
    const { host } = JSON.parse(await readFile(inFolder('pool-1/start.json'), 'utf8'))
    const stray = (env: Record<string, string>) =>
      spawn('sleep', ['7102.1'], { stdio: 'ignore', detached: true, env: { PATH: process.env.PATH, ...env } })
    const ours = [
      stray({ [hostMarker]: host, [runnerMarker]: 'pool-9' }),
      stray({ [hostMarker]: host, [shimMarker]: 'pool-9' }),
    ]
    const other = stray({ [hostMarker]: 'another-host', [runnerMarker]: 'pool-9' })
    children.push(...ours, other)
    const ends = Promise.all(ours.map((child) => once(child, 'exit')))
    await bench.reopen()
    expect((await ends).map(([, signal]) => signal)).toEqual(['SIGKILL', 'SIGKILL'])
    expect(other.exitCode ?? other.signalCode).toBeNull()
  })

  it('invalid records are set aside and logged, and other runners are unharmed', async () => {
    await bench.run('pool-1', 'sleep 30')
    await mkdir(inFolder('pool-2'))
    await writeFile(inFolder('pool-2/start.json'), '{"name":')
    await bench.reopen()
    expect(await bench.host.list()).toMatchObject([{ name: 'pool-1', state: 'running' }])
    expect(bench.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { runner: 'pool-2' } },
    ])
  })
})

describe('a pid that was given to another process', () => {
  it('is not mistaken for the runner: it gets no signal, and the ending has an unknown exit code', async () => {
    const bystander = spawn('sleep', ['7103.1'], { stdio: 'ignore', detached: true })
    children.push(bystander)
    const pid = bystander.pid ?? 0
    const real = await until('the bystander runs', () => identityOf(pid))
    await bench.run('pool-0', 'true')
    await bench.ended('pool-0')
    const start = JSON.parse(await readFile(inFolder('pool-0/start.json'), 'utf8'))
    const fakes = [
      ['pool-1', { ...real, startTicks: real.startTicks - 100 }, shimKilled],
      [
        'pool-2',
        { ...real, bootId: `not ${bootId()}` },
        'the machine was restarted while the runner lived: exit code unknown',
      ],
    ] as const
    await bench.host[Symbol.asyncDispose]()
    for (const [name, identity] of fakes) {
      await mkdir(inFolder(name, 'work'), { recursive: true })
      await writeFile(inFolder(name, 'start.json'), JSON.stringify({ ...start, name }))
      const record = { name, pool: 'pool', startedAt: 1, shim: identity, runner: identity }
      await writeFile(inFolder(name, 'runner.json'), JSON.stringify(record))
    }
    await bench.reopen()
    for (const [name, , reason] of fakes) {
      await bench.host.stop(name, stopOrder('stop it', 0))
      expect((await bench.ended(name)).missing[0]).toBe(reason)
    }
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
  })
})

describe('when the supervisor is killed', () => {
  it('the runner is killed with its descendants, and the ending has the known facts', async () => {
    await bench.run('pool-1', 'echo early words; setsid sleep 7104.1 & while :; do sleep 0.1; done')
    await until('the output is on disk', async () =>
      (await readFile(inFolder('pool-1/live.json'), 'utf8').catch(() => '')).includes('early words'),
    )
    const { shim, runner } = await recordOf('pool-1')
    process.kill(shim.pid, 'SIGKILL')
    const ending = await bench.ended('pool-1')
    expect(ending).toMatchObject({
      exitCode: null,
      signal: null,
      tail: 'early words\n',
      stopRequestedBy: null,
    })
    expect(ending.startedAt).not.toBeNull()
    expect(ending.samples.length).toBeGreaterThan(0)
    expect(ending.missing[0]).toBe(shimKilled)
    expect(identityOf(runner?.pid ?? 0)).toBeNull()
    expect(await processesWith('7104.1')).toEqual([])
    await bench.host.release('pool-1')
  })

  it('a supervisor keeps its standard streams, since libuv aborts a process that closes a pipe with their numbers', async () => {
    await bench.run('pool-1', 'while [ ! -e end ]; do sleep 0.02; done')
    const { shim } = await recordOf('pool-1')
    expect(await readdir(`/proc/${shim.pid}/fd`)).toEqual(expect.arrayContaining(['0', '1', '2']))
    expect(await readlink(`/proc/${shim.pid}/fd/1`)).toMatch(/^(pipe|socket):/)
    await writeFile(inFolder('pool-1/work/end'), '')
    expect(await bench.ended('pool-1')).toMatchObject({ exitCode: 0 })
  })

  it('by a job that forged an ending before, that ending is ignored', async () => {
    const forged = JSON.stringify({ ...(await endOf('pool-0', 'exit 0')), exitCode: 137, oomKills: 1 })
    await bench.run('pool-1', `printf '%s' '${forged}' > ../ending.json; kill -9 $PPID; sleep 7107.1`)
    const ending = await bench.ended('pool-1')
    expect(ending).toMatchObject({ exitCode: null, signal: null, supervisor: 'killed' })
    expect(ending.oomKills).not.toBe(1)
    expect(ending.missing.join()).toContain('its job may have written it')
    expect(await processesWith('7107.1')).toEqual([])
  })

  it('a job that names another process as its supervisor still counts as running', async () => {
    const shim = JSON.stringify({ pid: 1, startTicks: 1, bootId: 'another' })
    const record = `{"name":"pool-1","pool":"pool","startedAt":1,"shim":${shim},"runner":null}`
    const script = `echo '${record}' > ../runner.json; echo '{}' > ../ending.json; while [ ! -e end ]; do sleep 0.02; done; exit 5`
    await bench.run('pool-1', script)
    await until(
      'it wrote them',
      async () => (await readFile(inFolder('pool-1/ending.json'), 'utf8').catch(() => '')) !== '',
    )
    expect(await bench.host.list()).toMatchObject([{ name: 'pool-1', state: 'running' }])
    expect(await bench.host.ending('pool-1')).toBeNull()
    await writeFile(inFolder('pool-1/work/end'), '')
    expect(await bench.ended('pool-1')).toMatchObject({ exitCode: 5 })
  })

  it('while Holdfast is down, the next Holdfast settles the end', async () => {
    await bench.run('pool-1', 'sleep 7105.1 & wait')
    await bench.host[Symbol.asyncDispose]()
    const { shim } = await recordOf('pool-1')
    process.kill(shim.pid, 'SIGKILL')
    await until('it is gone', () => identityOf(shim.pid) === null)
    await bench.reopen()
    expect((await bench.ended('pool-1')).missing[0]).toBe(shimKilled)
    expect(await processesWith('7105.1')).toEqual([])
  })

  it('by a termination signal, it survives and outlasts its runner', async () => {
    await bench.run('pool-1', 'while [ ! -e end ]; do sleep 0.02; done; exit 6')
    const { shim } = await recordOf('pool-1')
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(shim.pid, signal)
    await writeFile(inFolder('pool-1/work/end'), '')
    expect((await bench.ended('pool-1')).exitCode).toBe(6)
  })
})

describe('a job that removes its own records', () => {
  it('stays listed while it runs, and gets an ending', async () => {
    await bench.run(
      'pool-1',
      `host='${bench.folder}'; cd /; rm -rf "$host/pool-1"; while [ ! -e "$host/end" ]; do sleep 0.02; done; exit 4`,
    )
    await until('its records are gone', () =>
      stat(inFolder('pool-1/start.json')).then(
        () => false,
        () => true,
      ),
    )
    expect(await bench.host.list()).toMatchObject([{ name: 'pool-1', pool: 'pool', state: 'running' }])
    await writeFile(inFolder('end'), '')
    expect((await bench.ended('pool-1')).exitCode).toBe(4)
  })

  it('can be stopped', async () => {
    await bench.run('pool-1', `cd /; rm -rf '${bench.folder}/pool-1'; exec sleep 7106.1`)
    await until('its records are gone', () =>
      stat(inFolder('pool-1/start.json')).then(
        () => false,
        () => true,
      ),
    )
    await bench.host.stop('pool-1', stopOrder('stop it', 200))
    expect(await bench.host.ending('pool-1')).toMatchObject({ stopRequestedBy: 'stop it' })
    expect(await processesWith('7106.1')).toEqual([])
  })
})

async function endOf(name: string, script: string): Promise<Ending> {
  await bench.run(name, script)
  return bench.ended(name)
}
