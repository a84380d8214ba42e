import { describe, expect, it } from 'vitest'
import { parseCron } from './cron.ts'

function read(text: string) {
  const parsed = parseCron(text)
  if (parsed.kind === 'wrong') throw new Error(parsed.problem)
  const { minutes, hours, days, months, weekdays } = parsed.cron
  return [minutes, hours, days, months, weekdays].map((values) => [...values].toSorted((a, b) => a - b))
}

describe('parseCron', () => {
  it('reads values, lists, ranges, steps and stars', () => {
    expect(read('0,30 8-10 1 */4 *')).toEqual([
      ...[[0, 30], [8, 9, 10], [1]],
      ...[
        [1, 5, 9],
        [0, 1, 2, 3, 4, 5, 6],
      ],
    ])
    expect(read('50/5 9-17/4 * * *').slice(0, 2)).toEqual([
      [50, 55],
      [9, 13, 17],
    ])
  })

  it('reads names without regard to case, and 7 as Sunday', () => {
    expect(read('0 7 * JAN-mar Mon-Fri').slice(3)).toEqual([
      [1, 2, 3],
      [1, 2, 3, 4, 5],
    ])
    expect(read('0 7 * * fri-7')[4]).toEqual([0, 5, 6])
  })

  it.each([
    ['', 'five fields (minute, hour, day of the month, month, day of the week), not 0'],
    ['0 7 * *', 'five fields (minute, hour, day of the month, month, day of the week), not 4'],
    ['60 7 * * *', 'a minute from 0 to 59, a range, a list or * with an optional /step, not "60"'],
    ['0 24 * * *', 'an hour from 0 to 23, a range, a list or * with an optional /step, not "24"'],
    ['0 7 0 * *', 'a day of the month from 1 to 31, a range, a list or * with an optional /step, not "0"'],
    [
      '0 7 * foo *',
      'a month from 1 to 12 or jan to dec, a range, a list or * with an optional /step, not "foo"',
    ],
    [
      '0 7 * * 1-',
      'a day of the week from 0 to 7 or sun to sat, a range, a list or * with an optional /step, not "1-"',
    ],
    ['0 17-9 * * *', 'a range of the hour that goes upwards, not "17-9"'],
    ['*/0 7 * * *', 'a step of at least 1, not "*/0"'],
    ['0 7 31 2,4 *', 'a day that exists in one of its months, not "0 7 31 2,4 *"'],
  ])('refuses %j and says what to write', (text, problem) => {
    expect(parseCron(text)).toEqual({ kind: 'wrong', problem })
  })

  it('takes a day that no month has where a day of the week is enough', () => {
    expect(parseCron('0 7 31 2 mon').kind).toBe('cron')
  })
})
