import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isError } from '../../domain/errors/index.ts'
import { KeptLog, ManualClock, settled } from './fakes.ts'
import { createTasks } from './index.ts'

describe('tasks', () => {
  it('let a task that may end, end', async () => {
    const { tasks, log, failures } = open()
    tasks.run('mail', async () => {})
    await tasks.stop()
    expect(log.lines).toEqual([])
    expect(failures).toEqual([])
  })

  it.each(['once', 'loop', 'vital'] as const)(
    'log and count a %s task that fails, even before its first await',
    async (kind) => {
      const { tasks, log, failures } = open()
      const err = new Error('odd')
      tasks.run(
        'sweep',
        () => {
          throw err
        },
        kind,
      )
      await settled()
      expect(log.lines).toEqual([
        { level: 'error', fields: { task: 'sweep', err }, message: 'a background task failed' },
      ])
      expect(failures).toEqual(['sweep'])
      await tasks.stop()
    },
  )

  it('start a loop again after pauses that grow to a bound', async () => {
    const { tasks, clock } = open()
    const startedAt: number[] = []
    tasks.run(
      'sweep',
      async () => {
        startedAt.push(clock.now())
        throw new Error('odd')
      },
      'loop',
    )
    await clock.advance(200_000)
    expect(startedAt.slice(0, 5)).toEqual([0, 500, 1_500, 3_500, 7_500])
    const pauses = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0))
    expect(Math.max(...pauses)).toBe(60_000)
    await tasks.stop()
    expect(clock.pending).toBe(0)
  })

  it('begin with the first pause again after a loop was healthy for long', async () => {
    const { tasks, clock } = open()
    const runsMs = [0, 0, 120_000, 0]
    const startedAt: number[] = []
    const work = async (signal: AbortSignal): Promise<void> => {
      startedAt.push(clock.now())
      await clock.sleep(runsMs[startedAt.length - 1] ?? 1_000_000, signal)
      throw new Error('odd')
    }
    tasks.run('sweep', work, 'loop')
    await clock.advance(500_000)
    expect(startedAt).toEqual([0, 500, 1_500, 122_000, 123_000])
    await tasks.stop()
  })

  it('take a loop or a vital task that merely ends for a failure', async () => {
    const { tasks, log } = open()
    tasks.run('sweep', async () => {}, 'vital')
    await settled()
    expect(isError(log.lines[0]?.fields.err, 'E_TASK_ENDED')).toBe(true)
  })

  it('say which vital tasks are dead, and only those', async () => {
    const { tasks } = open()
    const fail = (): Promise<void> => Promise.reject(new Error('odd'))
    tasks.run('a', fail, 'once')
    tasks.run('b', fail, 'loop')
    expect(tasks.dead()).toEqual([])
    tasks.run('c', fail, 'vital')
    await settled()
    expect(tasks.dead()).toEqual(['c'])
    await tasks.stop()
  })

  it('abort at the stop, and wait for their clean-up', async () => {
    const { tasks, log, failures } = open()
    const flushed = Promise.withResolvers<void>()
    let isStopped = false
    tasks.run(
      'sweep',
      async (signal) => {
        await once(signal, 'abort')
        await flushed.promise
        signal.throwIfAborted()
      },
      'loop',
    )
    const stopping = tasks.stop().then(() => {
      isStopped = true
    })
    await settled()
    expect(isStopped).toBe(false)
    flushed.resolve()
    await stopping
    expect(log.lines).toEqual([])
    expect(failures).toEqual([])
  })

  it('say so when a task fails while it is stopped, or is started too late', async () => {
    const { tasks, log } = open()
    tasks.run('sweep', async (signal) => {
      await once(signal, 'abort')
      throw new Error('could not flush')
    })
    await tasks.stop()
    tasks.run('late', async () => {})
    expect(log.at('warn')).toEqual([
      'a background task failed while it was stopped',
      'not started, because Holdfast is stopping',
    ])
  })

  it('refuse to track without bound', async () => {
    const { tasks } = open()
    const wait = async (signal: AbortSignal): Promise<void> => void (await once(signal, 'abort'))
    for (let index = 0; index < 1_000; index++) tasks.run('many', wait)
    expect(() => tasks.run('one-more', wait)).toThrow(
      '1000 background tasks run already; one-more was not started.',
    )
    await tasks.stop()
  })
})

function open() {
  const failures: string[] = []
  const log = new KeptLog()
  const clock = new ManualClock()
  const metrics = { count: (_name: string, labels: object) => void failures.push(...Object.values(labels)) }
  return { failures, log, clock, tasks: createTasks({ log, clock, metrics, entropy: { fraction: () => 1 } }) }
}
