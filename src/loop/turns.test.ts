import { describe, expect, it } from 'vitest'
import { createTurns, turnsMax } from './index.ts'

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

describe('turns', () => {
  it('are taken one after the other under one name, in the order of asking', async () => {
    const { begun, work, end } = createWorks()
    const turns = createTurns()
    const results = ['a', 'b', 'c'].map((word) => turns.take('linux-1', work(word)))
    await settle()
    expect(begun).toEqual(['a'])
    await end('a')
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    await end('c')
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c'])
  })

  it('are not waited for under another name', async () => {
    const { begun, work, end } = createWorks()
    const turns = createTurns()
    const results = ['linux-1', 'linux-2'].map((name) => turns.take(name, work(name)))
    await settle()
    expect(begun).toEqual(['linux-1', 'linux-2'])
    for (const name of begun) await end(name)
    await Promise.all(results)
  })

  it('end with work that fails, whose error reaches who asked and nobody else', async () => {
    const { begun, work, end, fail } = createWorks()
    const turns = createTurns()
    const first = expect(turns.take('linux-1', work('a'))).rejects.toThrow('a failed')
    const second = turns.take('linux-1', work('b'))
    await settle()
    await fail('a')
    await first
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(await second).toBe('b')
  })

  it('are refused beyond their bound, and given again once one is over', async () => {
    const { work, end } = createWorks()
    const turns = createTurns()
    const all = Array.from({ length: turnsMax }, (_, n) => turns.take(`linux-${n}`, work(`${n}`)))
    await settle()
    await expect(turns.take('linux-x', work('x'))).rejects.toMatchObject({ code: 'E_BUG' })
    await end('0')
    const late = turns.take('linux-0', work('late'))
    await settle()
    await end('late')
    expect(await late).toBe('late')
    for (let n = 1; n < turnsMax; n += 1) void end(`${n}`)
    await Promise.all(all)
  })
})
