import { describe, expect, it } from 'vitest'
import { ManualClock, settled } from '../../../../platform/lifecycle/fakes.ts'
import { coalesceReads, type EventReader, type EventsRead } from './coalesced-events.ts'

const never = new AbortController().signal
const namespace = 'runners'
const deadlineMs = 5_000
const about = (podUid: string): EventsRead => ({ items: [{ about: podUid }], isMore: false })

function bench(over: Partial<EventReader> = {}) {
  const clock = new ManualClock()
  const calls: string[] = []
  const gates: (() => void)[] = []
  const held = <T>(value: T) => new Promise<T>((resolve) => gates.push(() => resolve(value)))
  const reads: EventReader = {
    one(_, uid) {
      calls.push(uid)
      return held(about(uid))
    },
    many(_, uids) {
      calls.push(uids.join('+'))
      return held(new Map(uids.filter((uid) => uid !== 'silent').map((uid) => [uid, about(uid)])))
    },
    ...over,
  }
  const events = coalesceReads(reads, clock)
  const ask = (podUid: string, signal = never) => events.about({ namespace, podUid, deadlineMs }, signal)
  /** Answers the reads that are under way, and waits until their callers have the answers. */
  const open = async () => {
    for (const gate of gates.splice(0)) gate()
    await settled()
  }
  return { clock, calls, events, ask, open }
}

describe('events about pods', () => {
  it('are read for one pod where one asks', async () => {
    const { calls, ask, open } = bench()
    const answer = ask('a')
    await open()
    expect(await answer).toEqual(about('a'))
    expect(calls).toEqual(['a'])
  })

  it('are read once for all requests that arrive during another read, and each gets its own', async () => {
    const { calls, ask, open } = bench()
    const answers = Promise.all(['a', 'b', 'c', 'd', 'silent'].map((uid) => ask(uid)))
    await open()
    await open()
    expect(await answers).toEqual([...['a', 'b', 'c', 'd'].map(about), { items: [], isMore: false }])
    expect(calls).toEqual(['a', 'b', 'c+d+silent'])
  })

  it('are never those of a read that began before the question', async () => {
    const { calls, ask, open } = bench()
    const early = ['a', 'b', 'c', 'd', 'e'].map((uid) => ask(uid))
    await open() // the first two are answered, and the read for the others begins
    const later = ['f', 'g', 'h', 'i'].map((uid) => ask(uid))
    await open()
    await open()
    await open()
    await Promise.all([...early, ...later])
    expect(calls).toEqual(['a', 'b', 'c+d+e', 'f', 'g+h+i'])
  })

  it('are read for one after the other where the namespace has too many', async () => {
    const { calls, ask, open } = bench({ many: async () => 'too-many' })
    const answers = Promise.all(['a', 'b', 'c', 'd', 'e'].map((uid) => ask(uid)))
    for (let turn = 0; turn < 5; turn += 1) await open()
    expect(await answers).toEqual(['a', 'b', 'c', 'd', 'e'].map(about))
    expect(calls).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('fail for all where the read fails, and are read again for the next', async () => {
    const away = new Error('away')
    const { ask, open } = bench({ many: () => Promise.reject(away) })
    const answers = ['a', 'b', 'c', 'd', 'e'].map((uid) => ask(uid).catch((error: unknown) => error))
    await open()
    expect(await Promise.all(answers)).toEqual([about('a'), about('b'), away, away, away])
    const next = ask('f')
    await open()
    expect(await next).toEqual(about('f'))
  })

  it('are abandoned at the deadline or the abort of their request, also while it is still queued', async () => {
    const { clock, calls, ask, open } = bench()
    const first = ['a', 'b'].map((uid) => ask(uid).catch((error: Error) => error.message))
    const late = ask('c').catch((error: Error) => error.message)
    const over = new AbortController()
    const aborted = ask('d', over.signal).catch((error: unknown) => error)
    over.abort('over')
    expect(await aborted).toBe('over')
    await clock.advance(deadlineMs)
    expect(await Promise.all([...first, late])).toEqual(Array(3).fill('they did not come within 5000 ms'))
    await open()
    expect(calls).toEqual(['a', 'b'])
  })
})
