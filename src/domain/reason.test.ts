import { describe, expect, it } from 'vitest'
import { fetchReasonOf, reasonOf, systemCodeOf } from './reason.ts'

const refused = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' })

describe('the reason of an error', () => {
  it.each([
    [new Error('broken'), 'broken'],
    ['broken', 'broken'],
    [Object.assign(new Error(''), { code: 'EPIPE' }), 'EPIPE'],
    [new TypeError(''), 'TypeError'],
    [undefined, 'undefined'],
  ])('%s is %s', (error, reason) => expect(reasonOf(error)).toBe(reason))

  it('has the code of a system call, and none where there is none', () => {
    expect(systemCodeOf(refused)).toBe('ECONNREFUSED')
    expect(systemCodeOf(Object.assign(new Error('x'), { code: 7 }))).toBeUndefined()
    expect(systemCodeOf('ECONNREFUSED')).toBeUndefined()
  })

  it('of a fetch is found in its cause, by code or by message', () => {
    expect(fetchReasonOf(new TypeError('fetch failed', { cause: refused }))).toBe('ECONNREFUSED')
    expect(fetchReasonOf(new TypeError('fetch failed', { cause: new Error('no route') }))).toBe('no route')
    expect(fetchReasonOf(new Error('it answered 502', { cause: refused }))).toBe('it answered 502')
  })
})
