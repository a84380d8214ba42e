import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProcessHost } from './index.ts'
import { tailBytesMax, tailLinesMax } from './output/index.ts'
import {
  type Bench,
  clock,
  findMarked,
  keepingLog,
  openBench,
  processesWith,
  stopOrder,
  until,
} from './testing/harness.ts'

let bench: Bench
beforeEach(async () => {
  bench = await openBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

describe('a local runner', () => {
  it('ends with its exit code and its output', async () => {
    await bench.run('pool-1', 'echo out; echo err >&2; exit 3')
    const ending = await bench.ended('pool-1')
    expect(ending).toMatchObject({
      exitCode: 3,
      signal: null,
      tail: 'out\nerr\n',
      stopRequestedBy: null,
      missing: [],
    })
    expect(ending.startedAt).toBeLessThanOrEqual(ending.endedAt)
    expect(ending.samples.length).toBeGreaterThan(0)
  })

  it.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'])(
    'has the signal that killed it in its ending: %s',
    async (signal) => {
      await bench.run('pool-1', `kill -${signal.slice(3)} $$`)
      expect(await bench.ended('pool-1')).toMatchObject({ exitCode: null, signal })
    },
  )

  it('exits with 127 and a reason for a program that does not exist', async () => {
    await bench.run('pool-1', 'exec /nowhere/program')
    const ending = await bench.ended('pool-1')
    expect(ending.exitCode).toBe(127)
    expect(ending.tail).toContain('/nowhere/program')
  })

  it('counts as never started where its own program does not exist', async () => {
    const shape = () => ({ command: ['/nowhere/program'], env: {}, limits: {} })
    await bench.host[Symbol.asyncDispose]()
    bench.host = await createProcessHost({ id: 'host-1', folder: bench.folder, clock, log: bench.log, shape })
    await bench.run('pool-1', '')
    const ending = await bench.ended('pool-1')
    expect(ending).toMatchObject({ exitCode: null, signal: null, startedAt: null })
    expect(ending.tail).toContain('/nowhere/program')
  })

  it('is listed as running, then as exited until it is released', async () => {
    await bench.run('pool-1', 'while [ ! -e end ]; do sleep 0.02; done')
    const [running] = await bench.host.list()
    expect(running).toMatchObject({ name: 'pool-1', pool: 'pool', state: 'running' })
    expect(running?.startedAt).not.toBeNull()
    expect(await bench.host.ending('pool-1')).toBeNull()
    await writeFile(path.join(bench.folder, 'pool-1/work/end'), '')
    await bench.ended('pool-1')
    expect(await bench.host.list()).toMatchObject([{ name: 'pool-1', state: 'exited' }])
    await bench.host.release('pool-1')
    expect(await bench.host.list()).toEqual([])
    expect(await bench.host.ending('pool-1')).toBeNull()
    await bench.host.release('pool-1') // harmless
  })

  it('is started once, however often the caller asks', async () => {
    const script = 'echo once >> count; sleep 30'
    await Promise.all([bench.run('pool-1', script), bench.run('pool-1', script)])
    await bench.run('pool-1', script)
    expect(await bench.host.list()).toHaveLength(1)
    const count = path.join(bench.folder, 'pool-1/work/count')
    expect(await until('the script has run', () => readFile(count, 'utf8').catch(() => null))).toBe('once\n')
  })

  it('gets its secret in a file of its own and inherits nothing of our environment', async () => {
    process.env.HOLDFAST_TEST_LEAK = 'leaked'
    try {
      await bench.run(
        'pool-1',
        'env; stat -c %a "$HOLDFAST_SECRET_FILE" .. .; cat "$HOLDFAST_SECRET_FILE" | wc -c',
      )
      const { tail } = await bench.ended('pool-1')
      expect(tail).not.toContain('leaked')
      expect(tail).toContain('600\n700\n700\n')
      expect(tail).toContain(`${'secret-of-pool-1'.length}\n`)
    } finally {
      delete process.env.HOLDFAST_TEST_LEAK
    }
    // The secret is removed even where the program did not unlink it.
    await expect(stat(path.join(bench.folder, 'pool-1/secret'))).rejects.toThrow('ENOENT')
  })

  it('has its secrets masked in the tail', async () => {
    await bench.run('pool-1', 'echo "Authorization: Bearer abcdefghijklmnopqrstuvwxyz"')
    expect((await bench.ended('pool-1')).tail).not.toContain('abcdefghijklmnop')
  })

  it('may flood its output: the newest part is kept, disk and time stay bounded', async () => {
    await bench.run(
      'pool-1',
      'yes "a line that repeats and repeats and repeats" | head -c 100000000; echo; echo last',
    )
    const folder = path.join(bench.folder, 'pool-1')
    const kibNow = () => Number(spawnSync('du', ['-sk', folder]).stdout.toString().split('\t')[0])
    const sizes: number[] = []
    const watch = setInterval(() => sizes.push(kibNow()), 100)
    const { tail, exitCode } = await bench.ended('pool-1').finally(() => clearInterval(watch))
    sizes.push(kibNow())
    expect(exitCode).toBe(0)
    expect(tail.endsWith('last\n')).toBe(true)
    expect(tail.split('\n').length - 1).toBe(tailLinesMax)
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(tailBytesMax)
    expect(Math.max(...sizes)).toBeLessThan(600)
  })

  it('may write one endless binary line: its newest part is kept, bounded', async () => {
    const broken = `head -c 40000000 /dev/zero | tr '\\0' '\\377'; printf ' the end'`
    await bench.run('pool-1', broken)
    const { tail, missing } = await bench.ended('pool-1')
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(tailBytesMax)
    expect(tail.endsWith('\uFFFD the end')).toBe(true)
    expect(missing).toEqual([])
  })
})

describe('a runner that ended', () => {
  it('leaves no process running, not even one that its job put into a session of its own', async () => {
    await bench.run(
      'pool-1',
      'setsid sleep 7001.1 & (setsid sh -c "sleep 7001.2 & wait" &) ; sleep 0.3; exit 0',
    )
    expect((await bench.ended('pool-1')).exitCode).toBe(0)
    expect(await processesWith('7001.')).toEqual([])
  })

  it('is released with its folder, its groups and its processes', async () => {
    await bench.run('pool-1', 'mkdir -p a/b; touch a/b/c; chmod 500 a/b; true')
    await bench.ended('pool-1')
    const { cgroups } = bench.host.describe()
    await bench.host.release('pool-1')
    expect((await readdir(bench.folder)).filter((name) => !name.startsWith('.'))).toEqual([])
    expect(await readdir(path.join(bench.folder, '.released'))).toEqual([])
    for (const base of cgroups.folders) expect(await groupsIn(base)).toEqual([])
    expect(await processesWith(bench.folder)).toEqual([])
  })

  it('is not released while one of its processes lives', async () => {
    await bench.run('pool-1', 'sleep 30')
    await expect(bench.host.release('pool-1')).rejects.toMatchObject({ code: 'E_RUNNER_ALIVE' })
    expect(await bench.host.list()).toMatchObject([{ state: 'running' }])
  })
})

describe('stopping a runner', () => {
  it('lets it end by itself, and its ending has the reason of the stop', async () => {
    await bench.run(
      'pool-1',
      'trap "echo bye; exit 7" TERM; echo ready > ready; while :; do sleep 0.02; done',
    )
    await until('the trap is set', () => stat(path.join(bench.folder, 'pool-1/work/ready')).catch(() => null))
    await bench.host.stop('pool-1', stopOrder('the pool shrinks', 10_000))
    expect(await bench.host.ending('pool-1')).toMatchObject({
      exitCode: 7,
      tail: expect.stringContaining('bye\n'),
      stopRequestedBy: 'the pool shrinks',
    })
  })

  it('kills a runner that ignores the signal, with all processes that escaped its group', async () => {
    await bench.run(
      'pool-1',
      'trap "" TERM; setsid sh -c "trap \\"\\" TERM; echo > ready; while :; do sleep 7002.5; done" & while :; do sleep 0.1; done',
    )
    await until('the escapee runs', () =>
      stat(path.join(bench.folder, 'pool-1/work/ready')).catch(() => null),
    )
    const began = Date.now()
    await bench.host.stop('pool-1', stopOrder('it hangs', 300))
    expect(Date.now() - began).toBeGreaterThanOrEqual(300)
    expect(await bench.host.ending('pool-1')).toMatchObject({
      signal: 'SIGKILL',
      stopRequestedBy: 'it hangs',
    })
    expect(await processesWith('7002.5')).toEqual([])
  })

  it('keeps the first reason, and does nothing for a runner that ended or never existed', async () => {
    await bench.run('pool-1', 'trap "" TERM; sleep 30 & wait; sleep 30')
    await Promise.all([
      bench.host.stop('pool-1', stopOrder('first', 200)),
      bench.host.stop('pool-1', stopOrder('second', 200)),
    ])
    const ending = await bench.host.ending('pool-1')
    expect(['first', 'second']).toContain(ending?.stopRequestedBy)
    await bench.host.stop('pool-1', stopOrder('third', 0))
    expect(await bench.host.ending('pool-1')).toEqual(ending)
    await bench.host.stop('pool-2', stopOrder('no such runner', 0))
  })

  it('records no stop for a runner that another process signalled', async () => {
    await bench.run('pool-1', 'sleep 7003.1; true')
    const [sleeper] = await until('it sleeps', async () => {
      const found = await processesWith('sleep\0' + '7003.1')
      return found.length > 0 && found
    })
    if (sleeper === undefined) throw new Error('no sleeper')
    process.kill(-sleeper.group, 'SIGTERM')
    expect(await bench.ended('pool-1')).toMatchObject({ signal: 'SIGTERM', stopRequestedBy: null })
  })
})

describe('the host', () => {
  it('refuses a name that leads out of its folder', async () => {
    for (const name of ['../x', '', '.hidden', 'a/b', 'a'.repeat(65)]) {
      await expect(bench.run(name, 'true')).rejects.toMatchObject({ code: 'E_RUNNER_NAME' })
    }
  })

  it('throws instead of returning an empty list where its folder cannot be read', async () => {
    const away = `${bench.folder}-away`
    await rename(bench.folder, away)
    try {
      await expect(bench.host.list()).rejects.toMatchObject({ code: 'E_HOST_FOLDER' })
    } finally {
      await rename(away, bench.folder)
    }
  })

  it('names the folder that it cannot create', async () => {
    const folder = path.join(bench.folder, 'file/runners')
    await writeFile(path.join(bench.folder, 'file'), '')
    await chmod(path.join(bench.folder, 'file'), 0o600)
    const options = {
      id: 'host-1',
      folder,
      clock,
      log: keepingLog(),
      shape: () => ({ command: [], env: {}, limits: {} }),
    }
    await expect(createProcessHost(options)).rejects.toMatchObject({ code: 'E_HOST_FOLDER' })
    await rm(path.join(bench.folder, 'file'))
  })

  it('leaves processes alone that carry the mark of another host', async () => {
    const other = await mkdtemp(path.join(os.tmpdir(), 'holdfast-process-'))
    try {
      await bench.run('pool-1', 'sleep 30')
      const shape = () => ({ command: ['true'], env: {}, limits: {} })
      const host = await createProcessHost({ id: 'host-1', folder: other, clock, log: keepingLog(), shape })
      expect(await host.list()).toEqual([])
      await host[Symbol.asyncDispose]()
      expect(await bench.host.list()).toMatchObject([{ name: 'pool-1', state: 'running' }])
      expect(await findMarked('no-such-host')).toEqual([])
    } finally {
      await rm(other, { recursive: true, force: true })
    }
  })
})

async function groupsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}
