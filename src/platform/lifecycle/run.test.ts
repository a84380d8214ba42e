import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isError } from '../../domain/errors/index.ts'
import { KeptLog, ManualClock, ManualStopEvents, settled } from './fakes.ts'
import { type Part, runParts, type StartPart, type StopEvent, stopEventsOf } from './index.ts'

const term: StopEvent = { kind: 'signal', signal: 'SIGTERM' }
const int: StopEvent = { kind: 'signal', signal: 'SIGINT' }

describe('runParts', () => {
  it('starts in order, serves until a signal, stops in reverse order and exits with 0', async () => {
    const world = new World()
    const running = world.run([world.part('ledger'), world.part('dispatch'), world.part('http')])
    await settled()
    expect(world.story).toEqual(['start ledger', 'start dispatch', 'start http', 'serving'])
    world.stopEvents.send(term)
    expect(await running).toBe(0)
    expect(world.story.slice(4)).toEqual(['stop http', 'stop dispatch', 'stop ledger'])
    expect(world.stopEvents.listeners.size).toBe(0)
    expect(world.clock.pending).toBe(0)
  })

  it('does not start a part before the one before it serves', async () => {
    const world = new World()
    const slow = Promise.withResolvers<undefined>()
    const running = world.run([{ name: 'slow', start: () => slow.promise }, world.part('http')])
    await settled()
    expect(world.story).toEqual([])
    slow.resolve(undefined)
    await settled()
    expect(world.story).toEqual(['start http', 'serving'])
    world.stopEvents.send(term)
    await running
  })

  it('stops the parts that had started when one fails to start, and names part and cause', async () => {
    const world = new World()
    const cause = new Error('port in use')
    const failing: Part<void> = { name: 'http', start: () => Promise.reject(cause) }
    const error = await world
      .run([world.part('ledger'), failing, world.part('never')])
      .catch((thrown: unknown) => thrown)
    expect(isError(error, 'E_START_FAILED')).toBe(true)
    expect(error).toMatchObject({ params: { part: 'http' }, cause })
    expect(world.story).toEqual(['start ledger', 'stop ledger'])
    expect(world.stopEvents.listeners.size).toBe(0)
  })

  it('gives up a start that takes longer than its bound', async () => {
    const world = new World()
    const hanging: Part<void> = { name: 'hanging', startBoundMs: 100, start: () => new Promise(() => {}) }
    const running = world.run([world.part('ledger'), hanging]).catch((thrown: unknown) => thrown)
    await world.clock.advance(100)
    expect(await running).toMatchObject({ code: 'E_START_FAILED', cause: { code: 'E_PART_OVERDUE' } })
    expect(world.story).toEqual(['start ledger', 'stop ledger'])
  })

  it('stops in good order when the signal comes during the start', async () => {
    const world = new World()
    const waiting: Part<void> = {
      name: 'waiting',
      start: async (signal) => {
        await once(signal, 'abort')
        signal.throwIfAborted()
      },
    }
    const running = world.run([world.part('ledger'), waiting, world.part('never')])
    await settled()
    world.stopEvents.send(int)
    expect(await running).toBe(0)
    expect(world.story).toEqual(['start ledger', 'stop ledger'])
  })

  it('does not wait long for a start that ignores the signal', async () => {
    const world = new World()
    const running = world.run([world.part('ledger'), { name: 'deaf', start: () => new Promise(() => {}) }])
    await settled()
    world.stopEvents.send(int)
    await world.clock.advance(5_000)
    expect(await running).toBe(0)
    expect(world.story).toEqual(['start ledger', 'stop ledger'])
  })

  it.each([
    [term, 143],
    [int, 130],
  ])('ends at once on a second signal: %j', async (second, code) => {
    const world = new World()
    const running = world.run([world.part('ledger'), world.part('hanging', () => new Promise(() => {}))])
    await settled()
    world.stopEvents.send(term)
    await settled()
    expect(world.exits).toEqual([])
    await world.clock.advance(500)
    world.stopEvents.send(second)
    expect(world.exits).toEqual([code])
    expect(world.story.slice(-2)).toEqual(['kill hanging', 'kill ledger'])
    expect(world.story).not.toContain('stop ledger')
    await world.clock.advance(10_000)
    await running
  })

  it('takes a signal that comes twice at once, as from a wrapper and its group, for one', async () => {
    const world = new World()
    const running = world.run([world.part('ledger')])
    await settled()
    world.stopEvents.send(term)
    world.stopEvents.send(term)
    expect(await running).toBe(0)
    expect(world.exits).toEqual([])
    expect(world.story).toEqual(['start ledger', 'serving', 'stop ledger'])
  })

  it('leaves a part that does not stop behind, goes on with the others and exits with 1', async () => {
    const world = new World()
    const hanging = world.part('hanging', () => new Promise(() => {}))
    const throwing = world.part('throwing', () => Promise.reject(new Error('no')))
    const running = world.run([world.part('ledger'), throwing, hanging])
    await settled()
    world.stopEvents.send(term)
    await world.clock.advance(10_000)
    expect(await running).toBe(1)
    expect(world.story.slice(-3)).toEqual(['stop hanging', 'stop throwing', 'stop ledger'])
    expect(world.log.lines.filter((line) => line.level === 'error').map((line) => line.fields.part)).toEqual([
      'hanging',
      'throwing',
    ])
  })

  it('keeps to the bound of the whole, and still calls every part', async () => {
    const world = new World()
    const names = ['a', 'b', 'c', 'd']
    const running = world.run(names.map((name) => world.part(name, () => new Promise(() => {}))))
    await settled()
    world.stopEvents.send(term)
    await world.clock.advance(world.stopBoundMs)
    expect(await running).toBe(1)
    expect(world.story.slice(-4)).toEqual(['stop d', 'stop c', 'stop b', 'stop a'])
  })

  it('stops and exits with 1 on an uncaught error', async () => {
    const world = new World()
    const running = world.run([world.part('ledger')])
    await settled()
    world.stopEvents.send({ kind: 'fatal', error: new Error('odd') })
    expect(await running).toBe(1)
    expect(world.story).toContain('stop ledger')
    expect(world.log.at('error')).toEqual(['an error that nobody caught; stopping'])
  })
})

describe('stopEventsOf', () => {
  it('receives the signals and uncaught errors of a process until it is unsubscribed', () => {
    const host = new EventEmitter() as EventEmitter & NodeJS.Process
    const received: StopEvent[] = []
    const unsubscribe = stopEventsOf(host).subscribe((event) => received.push(event))
    const error = new Error('odd')
    host.emit('SIGTERM', 'SIGTERM')
    host.emit('unhandledRejection', error, Promise.resolve())
    expect(received).toEqual([term, { kind: 'fatal', error }])
    unsubscribe()
    expect(host.eventNames()).toEqual([])
  })
})

class World {
  readonly story: string[] = []
  readonly exits: number[] = []
  readonly log = new KeptLog()
  readonly clock = new ManualClock()
  readonly stopEvents = new ManualStopEvents()
  readonly stopBoundMs = 25_000

  part(name: string, stop: () => Promise<void> = async () => {}): Part<string> {
    return {
      name,
      start: async () => {
        this.story.push(`start ${name}`)
        return name
      },
      stop: (started) => {
        this.story.push(`stop ${started}`)
        return stop()
      },
      kill: (started) => this.story.push(`kill ${started}`),
    }
  }

  run(parts: readonly Part<unknown>[]): Promise<number> {
    const { log, clock, stopEvents, stopBoundMs } = this
    const exit = (code: number): void => void this.exits.push(code)
    const startAll = async (start: StartPart) => {
      for (const part of parts) await start(part)
      return 'serving'
    }
    return runParts(startAll, {
      log,
      clock,
      stopEvents,
      exit,
      stopBoundMs,
      onServing: (serving) => this.story.push(serving),
    })
  }
}
