import { describe, expect, it } from 'vitest'
import { createLanes } from './index.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Lanes with work that notes when it begins, and ends when the test says so. */
function createWorks(lanesMax: number) {
  const lanes = createLanes(lanesMax)
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const run = (word: string, ...keys: string[]) =>
    lanes.run(keys, () => {
      begun.push(word)
      const gate = Promise.withResolvers<void>()
      gates.set(word, gate)
      return gate.promise
    })
  const end = async (word: string) => {
    gates.get(word)?.resolve()
    await settle()
  }
  return { lanes, begun, run, end, gates }
}

describe('lanes', () => {
  it('do work of different keys side by side, up to their number', async () => {
    const { begun, run, end, lanes } = createWorks(2)
    const all = Promise.all([run('a', 'runner 1'), run('b', 'runner 2'), run('c', 'runner 3')])
    await settle()
    expect(begun).toEqual(['a', 'b'])
    expect(lanes.size).toBe(3)
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const word of begun) await end(word)
    await all
    expect(lanes.size).toBe(0)
  })

  it('do work that shares a key one after the other, in the order of asking', async () => {
    const { begun, run, end } = createWorks(8)
    const all = Promise.all([run('a', 'runner 1', 'job 1'), run('b', 'job 1'), run('c', 'job 1', 'job 2')])
    await settle()
    expect(begun).toEqual(['a'])
    await end('a')
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    await end('c')
    await all
  })

  it('let nothing overtake that wants a key of something that waits', async () => {
    const { begun, run, end } = createWorks(8)
    const all = Promise.all([run('a', 'x'), run('b', 'x', 'y'), run('c', 'y'), run('d', 'z')])
    await settle()
    expect(begun).toEqual(['a', 'd'])
    await end('a')
    expect(begun).toEqual(['a', 'd', 'b'])
    for (const word of ['b', 'd']) await end(word)
    await end('c')
    await all
  })

  it('go on after work that failed, and the failure is the caller’s', async () => {
    const { begun, run, end, gates } = createWorks(1)
    const failed = expect(run('a', 'x')).rejects.toThrow('broken')
    const next = run('b', 'x')
    await settle()
    gates.get('a')?.reject(new Error('broken'))
    await failed
    await settle()
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    await next
  })
})
