import { describe, expect, it } from 'vitest'
import { createKeyedMutex, mutexCallersMax } from './index.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Work that notes when it begins, and ends when the test says so. */
function createWorks() {
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<string>>()
  const work = (word: string) => async () => {
    begun.push(word)
    const gate = Promise.withResolvers<string>()
    gates.set(word, gate)
    return gate.promise
  }
  const end = async (word: string) => {
    gates.get(word)?.resolve(word)
    await settle()
  }
  const fail = async (word: string) => {
    gates.get(word)?.reject(new Error(`${word} failed`))
    await settle()
  }
  return { begun, work, end, fail }
}

describe('a keyed mutex', () => {
  it('does work under one key one after the other, in order of arrival', async () => {
    const { begun, work, end } = createWorks()
    const mutex = createKeyedMutex()
    const results = ['a', 'b', 'c'].map((word) => mutex.run('linux-1', work(word)))
    await settle()
    expect(begun).toEqual(['a'])
    await end('a')
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    await end('c')
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c'])
  })

  it('does not make work under another key wait', async () => {
    const { begun, work, end } = createWorks()
    const mutex = createKeyedMutex()
    const results = ['linux-1', 'linux-2'].map((name) => mutex.run(name, work(name)))
    await settle()
    expect(begun).toEqual(['linux-1', 'linux-2'])
    for (const name of begun) await end(name)
    await Promise.all(results)
  })

  it('is released by work that fails, whose error reaches its own caller and no other', async () => {
    const { begun, work, end, fail } = createWorks()
    const mutex = createKeyedMutex()
    const first = expect(mutex.run('linux-1', work('a'))).rejects.toThrow('a failed')
    const second = mutex.run('linux-1', work('b'))
    await settle()
    await fail('a')
    await first
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(await second).toBe('b')
  })

  it('refuses callers beyond its bound, and takes the next once one is done', async () => {
    const { work, end } = createWorks()
    const mutex = createKeyedMutex()
    const all = Array.from({ length: mutexCallersMax }, (_, n) => mutex.run(`linux-${n}`, work(`${n}`)))
    await settle()
    await expect(mutex.run('linux-x', work('x'))).rejects.toMatchObject({ code: 'E_BUG' })
    await end('0')
    const late = mutex.run('linux-0', work('late'))
    await settle()
    await end('late')
    expect(await late).toBe('late')
    for (let n = 1; n < mutexCallersMax; n += 1) void end(`${n}`)
    await Promise.all(all)
  })
})
