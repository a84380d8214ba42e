import { describe, expect, it } from 'vitest'
import { createCrew } from './crew.ts'

describe('a crew', () => {
  it('works on so many at a time, and on each once', async () => {
    const crew = createCrew(2)
    const gates = new Map(['a', 'b', 'c'].map((key) => [key, Promise.withResolvers<void>()]))
    const begun: string[] = []
    for (const [key, gate] of [...gates, ...gates]) {
      crew.add(key, () => {
        begun.push(key)
        return gate.promise
      })
    }
    expect(begun).toEqual(['a', 'b'])
    expect(crew.size()).toBe(3)
    gates.get('b')?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toEqual(['a', 'b', 'c'])
    expect([crew.has('a'), crew.has('b')]).toEqual([true, false])
    for (const { resolve } of gates.values()) resolve()
    await crew.dismiss()
    expect(crew.size()).toBe(0)
  })

  it('begins nothing more once it is dismissed', async () => {
    const crew = createCrew(1)
    const gate = Promise.withResolvers<void>()
    let isBegun = false
    crew.add('a', () => gate.promise)
    crew.add('b', async () => {
      isBegun = true
    })
    const dismissed = crew.dismiss()
    gate.resolve()
    await dismissed
    expect(isBegun).toBe(false)
  })
})
