import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vitalsMax, vitalsOf } from './vitals.ts'

const line = (second: number, rest: string) => `2026-11-16T03:14:0${second}Z RUNNER_VITALS ${rest}`

describe('vitals in a log', () => {
  it('are read oldest first, with what stands in each line', () => {
    const tail = `hello\n${line(1, 'mem_current=5 mem_max=9 psi_cpu=1.25')}\nbuilding\n${line(4, 'oom_kill=2 fds=-1')}`
    expect(vitalsOf(tail)).toEqual([
      { at: Date.UTC(2026, 10, 16, 3, 14, 1), values: { mem_current: 5, mem_max: 9, psi_cpu: 1.25 } },
      { at: Date.UTC(2026, 10, 16, 3, 14, 4), values: { oom_kill: 2, fds: -1 } },
    ])
  })

  it('leave out what cannot be read, and keep the rest', () => {
    const odd = line(1, 'mem_current=max oom= =3 constructor=1 __proto__=1 pids=1e9 fds=7 load1=0x1')
    expect(vitalsOf(odd)).toEqual([{ at: expect.any(Number), values: { fds: 7 } }])
  })

  it('are read also behind the time that a container runtime puts before each line', () => {
    expect(vitalsOf(`2026-11-16T03:14:09.123Z stdout F ${line(1, 'fds=7')}\r\n`)).toMatchObject([
      { values: { fds: 7 } },
    ])
  })

  it.each([
    ['no time', 'RUNNER_VITALS fds=1'],
    ['another time', 'yesterday RUNNER_VITALS fds=1'],
    ['a day that is none', '2026-99-99T99:99:99Z RUNNER_VITALS fds=1'],
    ['a line without end', line(1, `fds=1 ${'x'.repeat(2000)}`)],
    ['nothing', ''],
  ])('are none where there is %s', (_, tail) => {
    expect(vitalsOf(tail)).toEqual([])
  })

  it('are the newest where there are many', () => {
    const tail = Array.from({ length: vitalsMax + 50 }, (_, index) => line(1, `pids=${index}`)).join('\n')
    expect(vitalsOf(tail)).toHaveLength(vitalsMax)
    expect(vitalsOf(tail, 2).map(({ values }) => values.pids)).toEqual([vitalsMax + 48, vitalsMax + 49])
  })

  it('never fail, whatever a log holds', () => {
    const pieces = fc.constantFrom(
      ' RUNNER_VITALS ',
      '\n',
      '=',
      ' ',
      '2026-11-16T03:14:00Z',
      'fds',
      '1',
      '\ud800',
    )
    fc.assert(fc.property(fc.array(pieces), (parts) => vitalsOf(parts.join('')).length <= vitalsMax))
  })
})
