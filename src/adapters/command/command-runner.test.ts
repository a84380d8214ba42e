import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandContract } from '../../../test/contract/command/index.ts'
import type { ProcessMark } from '../../domain/remedy/managed-apply/index.ts'
import { ApplyWorld } from '../../remedy/testing/apply-world.ts'
import { identityOf } from '../embedded-postgres/index.ts'
import { hurriedClock } from '../kubernetes/client/testing/bench.ts'
import { createCommandRunner } from './command-runner.ts'

const never = new AbortController().signal
const hourMs = 60 * 60_000
const runner = (clock = hurriedClock(1)) => createCommandRunner({ clock, identityOf, output: 'stderr' })
const order = (...argv: string[]) => ({ argv, maxMs: hourMs, onStarted: async () => {} })

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-command-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !holds(); tries++) await sleep(50)
  expect(holds()).toBe(true)
}

describe('as a child process', () => {
  commandContract(async (end) => {
    const code = end.kind === 'exited' ? end.code : 0
    // Long enough to be noted.
    return { runner: runner(), argv: ['sh', '-c', `sleep 0.3; exit ${code}`] }
  })

  it('gets its arguments as they are: no shell reads them', async () => {
    const file = join(folder(), 'out')
    const argv = ['sh', '-c', 'printf %s "$1" > "$2"', 'sh', '$(id); rm -rf "x"', file]
    expect(await runner().run(order(...argv), never)).toEqual({ kind: 'exited', code: 0 })
    expect(readFileSync(file, 'utf8')).toBe('$(id); rm -rf "x"')
  })

  it('that does not exist, or is ended by a signal, is reported so', async () => {
    expect(await runner().run(order('/does/not/exist'), never)).toMatchObject({ kind: 'not-started' })
    expect(await runner().run(order('sh', '-c', 'kill -9 $$'), never)).toEqual({
      kind: 'signalled',
      signal: 'SIGKILL',
    })
  })

  it('past its time is ended with all of its processes, also where it does not obey', async () => {
    const file = join(folder(), 'pid')
    const script =
      'trap "" TERM; sh -c \'trap "" TERM; echo $$ > "$0"; while :; do sleep 0.1; done\' "$1" & wait; wait'
    const given = { ...order('sh', '-c', script, 'sh', file), maxMs: 60_000 }
    // A minute in a second, and the grace in a third of one.
    const end = await runner(hurriedClock(60)).run(given, never)
    expect(end).toEqual({ kind: 'timed-out', afterMs: 60_000 })
    const pid = Number(readFileSync(file, 'utf8'))
    onTestFinished(() => {
      // Left alone it would run for ever.
      if (isThere(pid)) process.kill(pid, 'SIGKILL')
    })
    await until(() => !isThere(pid))
  })

  it('is ended where the user interrupts, and is known to run until then', async () => {
    const stop = new AbortController()
    const marks: ProcessMark[] = []
    const given = { ...order('sleep', '600'), onStarted: async (mark: ProcessMark) => void marks.push(mark) }
    const running = runner().run(given, stop.signal)
    await until(() => marks.length > 0)
    const [mark] = marks as [ProcessMark]
    expect(await runner().isRunning(mark)).toBe(true)
    expect(await runner().isRunning({ ...mark, startedAt: 'another' })).toBe(false)
    stop.abort()
    expect(await running).toEqual({ kind: 'interrupted' })
    expect(await runner().isRunning(mark)).toBe(false)
  })

  it('is waited for also where it could not be noted', async () => {
    const file = join(folder(), 'done')
    const failing = {
      ...order('sh', '-c', 'sleep 0.5; echo done > "$1"', 'sh', file),
      onStarted: async () => {
        throw new Error('no space left')
      },
    }
    await expect(runner().run(failing, never)).rejects.toThrow('no space left')
    expect(readFileSync(file, 'utf8')).toBe('done\n')
  })
})

describe('in a simulated world', () => {
  commandContract(async (end) => {
    const world = new ApplyWorld()
    world.effect = { image: null, caps: {}, end }
    return { runner: world.commands, argv: ['helm'] }
  })
})

function isThere(pid: number): boolean {
  try {
    // A zombie that nobody has reaped yet is gone, too.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') === false
  } catch {
    return false
  }
}
