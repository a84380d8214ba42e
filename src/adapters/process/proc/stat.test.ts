import { describe, expect, it } from 'vitest'
import { identityOf, isAlive } from './identity.ts'
import { parseStat, statOf } from './stat.ts'

const tail = '1 500 500 0 -1 4194304 0 0 0 0 150 50 0 0 20 0 1 0 987654 0 0'

describe('the stat of a process', () => {
  it('is read past a name that holds parentheses, spaces and line feeds', () => {
    expect(parseStat(`42 (a) R 1 (\n) S ${tail}`)).toEqual({
      pid: 42,
      parent: 1,
      group: 500,
      session: 500,
      startTicks: 987654,
      cpuMs: 2_000,
    })
  })

  it('is nothing for a zombie', () => {
    expect(parseStat(`42 (gone) Z ${tail}`)).toBeNull()
  })

  it('is null for a pid without a process', () => {
    expect(statOf(2 ** 22 + 1)).toBeNull()
  })
})

describe('the identity of a process', () => {
  it('is that of a live process', () => {
    expect(isAlive(identityOf(process.pid))).toBe(true)
  })

  it('is not that of another process under the same pid, or of another boot', () => {
    const own = identityOf(process.pid)
    if (own === null) throw new Error('this process is not in /proc')
    expect(isAlive({ ...own, startTicks: own.startTicks - 1 })).toBe(false)
    expect(isAlive({ ...own, bootId: 'an earlier boot' })).toBe(false)
  })
})
