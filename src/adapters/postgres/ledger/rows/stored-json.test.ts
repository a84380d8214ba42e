import { describe, expect, it } from 'vitest'
import { aHostSamples } from '../../../../domain/death/testing.ts'
import { storedJson } from './stored-json.ts'

const cell = { table: 'host_rings', id: 'uid-1', column: 'ring' }

describe('a value of a jsonb column', () => {
  it('is given as it is stored, with parts that only a newer version knows', () => {
    const stored = { ...aHostSamples(), later: 1 }
    expect(storedJson.hostSamples(stored, cell)).toBe(stored)
  })

  it.each([
    ['nothing', null, 'ring: '],
    ['a list', [], 'ring: '],
    ['a part of another kind', { ...aHostSamples(), samples: [{ at: 'noon' }] }, 'samples.0.at: '],
  ])('is an error that names the row, the column and the part where it is %s', (_, stored, part) => {
    expect(() => storedJson.hostSamples(stored, cell)).toThrow(
      expect.objectContaining({
        code: 'E_LEDGER_ROW',
        params: expect.objectContaining({ ...cell, expected: [expect.stringContaining(part)] }),
      }),
    )
  })

  it('is an error where a state is one that only a newer version knows', () => {
    const job = { id: 1, state: 'paused', repository: 'acme/app' }
    expect(() => storedJson.job(job, { ...cell, id: 1 })).toThrow(/state/)
  })
})
