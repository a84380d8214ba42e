import { describe, expect, it } from 'vitest'
import { createKeyedExecutor } from './index.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** An executor with work that notes when it begins, and ends when the test says so. */
function createWorks(workersMax: number) {
  const executor = createKeyedExecutor(workersMax)
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const run = (word: string, ...keys: string[]) =>
    executor.run(keys, () => {
      begun.push(word)
      const gate = Promise.withResolvers<void>()
      gates.set(word, gate)
      return gate.promise
    })
  const end = async (word: string) => {
    gates.get(word)?.resolve()
    await settle()
  }
  return { executor, begun, run, end, gates }
}

describe('a keyed executor', () => {
  it('does work of different keys in parallel, up to its bound', async () => {
    const { begun, run, end, executor } = createWorks(2)
    const all = Promise.all([run('a', 'runner 1'), run('b', 'runner 2'), run('c', 'runner 3')])
    await settle()
    expect(begun).toEqual(['a', 'b'])
    expect(executor.size).toBe(3)
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const word of begun) await end(word)
    await all
    expect(executor.size).toBe(0)
  })

  it('does work that shares a key one after the other, in order of arrival', async () => {
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

  it('lets no work overtake earlier work that waits for one of its keys', async () => {
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

  it('goes on after work that failed, and the failure is the caller’s', async () => {
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
