import { describe, expect, it } from 'vitest'
import { anyOf, isLast, quote, signsOf } from './log.ts'

describe('the signs of a log', () => {
  it('are taken for what they are where one phrase begins like another, in whichever order they stand', () => {
    const found = (...texts: string[]) => 'abc. ab'.match(anyOf(texts))
    expect(found('ab', 'abc.')).toEqual(['abc.', 'ab'])
    expect(found('abc.', 'ab')).toEqual(['abc.', 'ab'])
    expect(Object.keys(signsOf('accept: Too many open files in system'))).toEqual(['fileTable'])
    expect(Object.keys(signsOf('accept: Too many open files'))).toEqual(['openFiles'])
  })

  it('are plain text, whatever it means to a regular expression', () => {
    expect('axb'.match(anyOf(['a.b', '(', '[']))).toBeNull()
    expect('a.b(['.match(anyOf(['a.b', '(', '[']))).toEqual(['a.b', '(', '['])
  })

  it.each([
    ["  signal: 'SIGKILL',", 'signal9'],
    ['npm error signal SIGKILL', 'signal9'],
    ['npm error code DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ["fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate", 'tls'],
  ])('are those which tools write: %s', (line, sign) => {
    expect(Object.keys(signsOf(`before\n${line}\n`))).toEqual([sign])
  })

  it('are where they stand last, with their line', () => {
    const log = signsOf('ENFILE first\nRunner reconnected.\nmore ENFILE second\n')
    expect(log.fileTable).toEqual({ at: 38, line: 'more ENFILE second' })
    expect(quote(log, 'fileTable')).toBe('Its log says: "more ENFILE second"')
    expect(isLast(log, 'fileTable', 'reconnected')).toBe(true)
    expect(isLast(log, 'reconnected', 'fileTable')).toBe(false)
    expect(isLast(log, 'tls')).toBe(false)
  })
})
