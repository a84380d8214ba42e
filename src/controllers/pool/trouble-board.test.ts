import { describe, expect, it } from 'vitest'
import type { Trouble } from '../../domain/pool/index.ts'
import { createTroubleBoard } from './trouble-board.ts'

const quota: Trouble = { kind: 'QuotaExceeded', message: 'used 10, limited 10', since: 1 }
const image: Trouble = { kind: 'ImagePull', message: 'not found', since: 2 }

describe('the board of troubles', () => {
  it('shows what a start says before a lack of room, and each until its own source says that it is over', () => {
    const board = createTroubleBoard()
    board.note('linux', 'start', image)
    board.note('linux', 'room', quota)
    expect(board.of('linux')).toEqual(image)
    board.note('linux', 'start', null)
    expect(board.of('linux')).toEqual(quota)
    board.note('linux', 'room', null)
    expect(board.of('linux')).toBeNull()
    expect(board.of('other')).toBeNull()
  })

  it('says since when a trouble lasts that is met again', () => {
    const board = createTroubleBoard()
    board.note('linux', 'start', quota)
    board.note('linux', 'start', { ...quota, message: 'used 11, limited 10', since: 9 })
    expect(board.of('linux')).toEqual({ ...quota, message: 'used 11, limited 10' })
  })

  it('shows runners that nobody counts on beside the trouble, and tells when there are others', () => {
    const board = createTroubleBoard()
    const told: string[] = []
    board.onChange((pool) => told.push(pool))
    const stray = { name: 'linux-1', pool: 'linux', message: 'it runs' }
    board.showStrays([stray])
    board.showStrays([{ ...stray, message: 'it runs still' }])
    expect(board.of('linux')).toBeNull()
    expect(board.straysOf('linux')).toEqual([{ ...stray, message: 'it runs still' }])
    expect(told).toEqual(['linux'])
    board.showStrays([])
    expect(board.straysOf('linux')).toEqual([])
    expect(told).toEqual(['linux', 'linux'])
  })

  it('tells of changes, and not of what stays', () => {
    const board = createTroubleBoard()
    const told: string[] = []
    const forget = board.onChange((pool) => told.push(pool))
    board.note('linux', 'start', quota)
    board.note('linux', 'start', { ...quota, since: 9 })
    board.note('linux', 'start', null)
    board.note('linux', 'start', null)
    expect(told).toEqual(['linux', 'linux'])
    forget()
    board.note('linux', 'start', quota)
    expect(told).toHaveLength(2)
  })
})
