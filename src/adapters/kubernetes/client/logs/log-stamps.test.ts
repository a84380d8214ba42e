import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStampReader } from './log-stamps.ts'

const stamp = '2026-11-16T03:00:00.123456789Z '

function read(text: string | Buffer, cuts: readonly number[] = []) {
  const reader = createStampReader()
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  const out = places.flatMap((from, place) =>
    reader.next(bytes.subarray(from, places[place + 1] ?? bytes.length)),
  )
  return { text: Buffer.concat([...out, ...reader.end()]).toString(), message: reader.message() }
}

describe('the lines of a log with times', () => {
  it('are those of the container, without their times', () => {
    expect(read(`${stamp}one\n2026-11-16T03:00:00+01:00 \n${stamp}${stamp}two`)).toEqual({
      text: `one\n\n${stamp}two`,
      message: '',
    })
  })

  it('are not the messages that the kubelet sends instead of a log or after it', () => {
    const error = 'failed to try resolving symlinks in path "/var/log/pods/x": no such file or directory'
    expect(read(error)).toEqual({ text: '', message: error })
    expect(read(`${stamp}one\n${error}`)).toEqual({ text: 'one\n', message: error })
  })

  it('are the same however they arrive', () => {
    const line = fc.tuple(
      fc.boolean(),
      fc.string({ maxLength: 60 }).map((text) => text.replaceAll('\n', ' ')),
    )
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
        const whole = lines.map(([isOwn, text]) => `${isOwn ? stamp : '!'}${text}\n`).join('')
        expect(read(whole, cuts)).toEqual(read(whole))
        expect(read(whole).text).toBe(lines.flatMap(([isOwn, text]) => (isOwn ? [`${text}\n`] : [])).join(''))
      }),
    )
  })
})
