import { describe, expect, it } from 'vitest'
import { createControlBench } from '../../test/support/control-bench.ts'
import type { Placed } from '../ports/budget.ts'
import { callsAtOnceMax, createPlaces, recoveryPlaces } from './places.ts'

const never = new AbortController().signal
const ordinary = callsAtOnceMax - recoveryPlaces

async function full() {
  const { clock, advance } = await createControlBench()
  const places = createPlaces(clock)
  const inside: Placed[] = []
  for (let n = 0; n < ordinary; n += 1) inside.push(await places.take('resync', never))
  const leave = (placed: Placed | undefined) => placed?.kind === 'go' && placed.leave()
  return { places, inside, leave, advance }
}

/** Whether a promise is still pending after every task that is due has run. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  let open = true
  const close = () => {
    open = false
  }
  promise.then(close, close)
  await new Promise((resolve) => setImmediate(resolve))
  return open
}

describe('the concurrent calls of an account', () => {
  it('are as many as there are places; the next call waits until one ends', async () => {
    const { places, inside, leave } = await full()
    const next = places.take('dispatch', never)
    expect(await isOpen(next)).toBe(true)
    leave(inside[0])
    expect((await next).kind).toBe('go')
    leave(inside[0]) // leaving twice frees one place
    expect(await isOpen(places.take('dispatch', never))).toBe(true)
  })

  it('leave places for recovery, which does not wait for other calls', async () => {
    const { places, inside, leave } = await full()
    const dispatch = places.take('dispatch', never)
    for (let n = 0; n < recoveryPlaces; n += 1) expect((await places.take('recovery', never)).kind).toBe('go')
    const recovery = places.take('recovery', never)
    leave(inside[0])
    expect((await recovery).kind).toBe('go')
    expect(await isOpen(dispatch)).toBe(true)
  })

  it('admit other calls again when recovery has ended', async () => {
    const { places, inside, leave } = await full()
    const rescue = await places.take('recovery', never)
    const waiting = [places.take('resync', never), places.take('dispatch', never)] as const
    leave(rescue)
    leave(inside[0])
    expect((await waiting[0]).kind).toBe('go')
    expect(await isOpen(waiting[1])).toBe(true)
  })

  it('are put off where no call under way ends in time, and take no place then', async () => {
    const { places, inside, leave, advance } = await full()
    const next = places.take('dispatch', never)
    await advance(15_000)
    expect(await next).toMatchObject({ kind: 'wait', why: expect.stringContaining('at once') })
    leave(inside[0])
    expect((await places.take('resync', never)).kind).toBe('go')
  })

  it('are aborted while they wait, and take no place then', async () => {
    const { places, inside, leave } = await full()
    const ending = new AbortController()
    const next = places.take('dispatch', ending.signal)
    ending.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    await expect(places.take('recovery', ending.signal)).rejects.toThrow('enough')
    leave(inside[0])
    expect((await places.take('resync', never)).kind).toBe('go')
  })
})
