import { describe, expect, it } from 'vitest'
import type { StartProblem } from '../../domain/pool/index.ts'
import { createStartProblems } from './start-problems.ts'

const quota: StartProblem = { kind: 'QuotaExceeded', message: 'used 10, limited 10', since: 1 }
const image: StartProblem = { kind: 'ImagePull', message: 'not found', since: 2 }

describe('start problems', () => {
  it('show a failed start before a lack of headroom, each until its own source reports it as over', () => {
    const startProblems = createStartProblems()
    startProblems.note('linux', 'start', image)
    startProblems.note('linux', 'room', quota)
    expect(startProblems.of('linux')).toEqual(image)
    startProblems.note('linux', 'start', null)
    expect(startProblems.of('linux')).toEqual(quota)
    startProblems.note('linux', 'room', null)
    expect(startProblems.of('linux')).toBeNull()
    expect(startProblems.of('other')).toBeNull()
  })

  it('keep the time since when a repeated problem lasts', () => {
    const startProblems = createStartProblems()
    startProblems.note('linux', 'start', quota)
    startProblems.note('linux', 'start', { ...quota, message: 'used 11, limited 10', since: 9 })
    expect(startProblems.of('linux')).toEqual({ ...quota, message: 'used 11, limited 10' })
  })

  it('include lingering strays, and notify when there are others', () => {
    const startProblems = createStartProblems()
    const changes: string[] = []
    startProblems.onChange((pool) => changes.push(pool))
    const stray = { name: 'linux-1', pool: 'linux', message: 'it runs' }
    startProblems.showStrays([stray])
    startProblems.showStrays([{ ...stray, message: 'it runs still' }])
    expect(startProblems.of('linux')).toBeNull()
    expect(startProblems.straysOf('linux')).toEqual([{ ...stray, message: 'it runs still' }])
    expect(changes).toEqual(['linux'])
    startProblems.showStrays([])
    expect(startProblems.straysOf('linux')).toEqual([])
    expect(changes).toEqual(['linux', 'linux'])
  })

  it('notify of changes, and not of what stays', () => {
    const startProblems = createStartProblems()
    const changes: string[] = []
    const forget = startProblems.onChange((pool) => changes.push(pool))
    startProblems.note('linux', 'start', quota)
    startProblems.note('linux', 'start', { ...quota, since: 9 })
    startProblems.note('linux', 'start', null)
    startProblems.note('linux', 'start', null)
    expect(changes).toEqual(['linux', 'linux'])
    forget()
    startProblems.note('linux', 'start', quota)
    expect(changes).toHaveLength(2)
  })
})
