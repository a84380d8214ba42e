import { describe, expect, it } from 'vitest'
import { createWorkerPool } from './worker-pool.ts'

describe('a worker pool', () => {
  it('works on so many keys at a time, and on each once', async () => {
    const pool = createWorkerPool(2)
    const gates = new Map(['a', 'b', 'c'].map((key) => [key, Promise.withResolvers<void>()]))
    const begun: string[] = []
    for (const [key, gate] of [...gates, ...gates]) {
      pool.add(key, () => {
        begun.push(key)
        return gate.promise
      })
    }
    expect(begun).toEqual(['a', 'b'])
    expect(pool.size()).toBe(3)
    gates.get('b')?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toEqual(['a', 'b', 'c'])
    expect([pool.has('a'), pool.has('b')]).toEqual([true, false])
    for (const { resolve } of gates.values()) resolve()
    await pool.shutDown()
    expect(pool.size()).toBe(0)
  })

  it('begins no more work once it is shut down', async () => {
    const pool = createWorkerPool(1)
    const gate = Promise.withResolvers<void>()
    let isBegun = false
    pool.add('a', () => gate.promise)
    pool.add('b', async () => {
      isBegun = true
    })
    const isShutDown = pool.shutDown()
    gate.resolve()
    await isShutDown
    expect(isBegun).toBe(false)
  })
})
