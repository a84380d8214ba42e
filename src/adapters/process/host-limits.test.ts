import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bench, openBench, processesWith } from './testing/harness.ts'

const bytesPerMiB = 1024 * 1024
const nobody = 65_534
const script = fileURLToPath(new URL('./testing/parent.ts', import.meta.url))

let bench: Bench
beforeAll(async () => {
  bench = await openBench({ memoryMiB: 64, cpus: 0.5, pids: 40 })
})
afterAll(() => bench[Symbol.asyncDispose]())

describe('the limits of a local runner', () => {
  it('kill a runner that exceeds its memory limit, and the ending counts the kill', async (test) => {
    skipLoudly(test, bench.host.describe().cgroups.memory, 'no memory cgroup')
    await bench.run('pool-1', 'echo eating; exec dd if=/dev/zero of=/dev/null bs=300M count=1')
    const ending = await bench.ended('pool-1')
    expect(ending).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      memoryLimitBytes: 64 * bytesPerMiB,
      missing: [],
    })
    expect(ending.oomKills).toBeGreaterThan(0)
    expect(ending.memoryPeakBytes).toBeGreaterThan(60 * bytesPerMiB)
    expect(ending.tail).toBe('eating\n')
  })

  it('count the OOM kill of a child process that the runner survived', async (test) => {
    skipLoudly(test, bench.host.describe().cgroups.memory, 'no memory cgroup')
    await bench.run('pool-2', 'dd if=/dev/zero of=/dev/null bs=300M count=1; exit $?')
    expect(await bench.ended('pool-2')).toMatchObject({ exitCode: 137, signal: null, oomKills: 1 })
  })

  it('count no OOM kill where another signal ended the runner', async (test) => {
    skipLoudly(test, bench.host.describe().cgroups.memory, 'no memory cgroup')
    await bench.run('pool-3', 'kill -9 $$')
    expect(await bench.ended('pool-3')).toMatchObject({ signal: 'SIGKILL', oomKills: 0 })
  })

  it('bound the number of processes', async (test) => {
    skipLoudly(test, bench.host.describe().cgroups.pids, 'no pids cgroup')
    await bench.run('pool-4', 'i=0; while [ $i -lt 100 ]; do sleep 7201.1 & i=$((i+1)); done; exit 0')
    const ending = await bench.ended('pool-4')
    expect(ending.exitCode).not.toBe(0)
    expect(ending.tail).toMatch(/fork/i)
    expect(await processesWith('7201.1')).toEqual([])
  })

  it('kill a process that cleared its environment and left its session', async (test) => {
    skipLoudly(test, bench.host.describe().cgroups.memory, 'no cgroup')
    await bench.run('pool-5', '(env -i /usr/bin/env setsid sleep 7202.1 &); sleep 0.3; exit 0')
    expect((await bench.ended('pool-5')).exitCode).toBe(0)
    expect(await processesWith('7202.1')).toEqual([])
  })
})

describe('a Holdfast without rights to cgroups', () => {
  it('runs runners all the same, and logs once which limits are missing', async (test) => {
    skipLoudly(test, process.getuid?.() === 0, 'only root can become another user')
    const folder = await mkdtemp(path.join(os.tmpdir(), 'holdfast-nobody-'))
    try {
      await chown(folder, nobody, nobody)
      const job = 'id -u; (setsid sleep 7203.1 &); sleep 1.2; exit 9'
      const output = await run(process.execPath, [script, 'once', folder, 'pool-1', job], {
        uid: nobody,
        gid: nobody,
      })
      const { ending, cgroups, left, log } = JSON.parse(output.at(-1) ?? '{}')
      expect(ending).toMatchObject({
        exitCode: 9,
        tail: `${nobody}\n`,
        oomKills: null,
        memoryLimitBytes: null,
        missing: [],
      })
      expect(ending.memoryPeakBytes).toBeGreaterThan(0)
      expect(
        Math.max(...ending.samples.map((sample: { processes: number }) => sample.processes)),
      ).toBeGreaterThan(0)
      expect(cgroups).toMatchObject({ version: null, memory: false, cpus: false, pids: false })
      expect(cgroups.why.join('\n')).toContain('no rights')
      expect(log.filter(({ level }: { level: string }) => level === 'warn')).toHaveLength(1)
      expect(left).toEqual([])
      expect(await processesWith('7203.1')).toEqual([])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('a job that fills the disk', () => {
  it('ends with its exit code all the same', async (test) => {
    skipLoudly(test, process.getuid?.() === 0, 'only root can mount a small disk')
    const folder = await mkdtemp(path.join(os.tmpdir(), 'holdfast-full-'))
    try {
      const job = 'dd if=/dev/zero of=fill bs=4k 2>/dev/null; echo disk full; exit 3'
      // In a mount namespace of its own: the disk is gone with its last process.
      const mount = 'mount -t tmpfs -o size=3m tmpfs "$1" && shift && exec "$@"'
      const parent = [process.execPath, script, 'once', folder, 'pool-1', job]
      const output = await run('unshare', ['--mount', 'sh', '-c', mount, 'sh', folder, ...parent])
      expect(JSON.parse(output.at(-1) ?? '{}').ending).toMatchObject({
        exitCode: 3,
        signal: null,
        tail: 'disk full\n',
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

async function run(
  program: string,
  args: readonly string[],
  options: { uid?: number; gid?: number } = {},
): Promise<string[]> {
  const child = spawn(program, args, {
    ...options,
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return Buffer.concat(chunks).toString().trim().split('\n')
}

/** Skips a test that this machine cannot run, with the reason, so that it never counts as passed. */
function skipLoudly(test: { skip(note?: string): void }, possible: boolean, why: string): void {
  if (possible) return
  process.stderr.write(`NOT SHOWN ON THIS MACHINE: ${why}\n`)
  test.skip(why)
}
