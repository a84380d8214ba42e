import { describe, expect, it } from 'vitest'
import { seenOutside } from './seen-outside.ts'
import { aHostSamples, anEnd, endedAt } from './testing.ts'

describe('what the agent saw of a runner from outside', () => {
  it('counts the kills of its end', () => {
    expect(seenOutside({ ending: anEnd({ oomKills: 2 }), job: null, ring: null }, null).memory.oomKills).toBe(
      2,
    )
    expect(seenOutside({ ending: anEnd({ oomKills: 0 }), job: null, ring: null }, null).memory.oomKills).toBe(
      0,
    )
  })

  it('has no count where no sample reaches the end', () => {
    expect(seenOutside({ ending: anEnd(), job: null, ring: null }, null)).toEqual({
      memory: { oomKills: null, peakBytes: null, limitBytes: null },
      isBeyondItsJob: false,
      fileTableShare: null,
    })
  })

  it('takes peak, limit and file table from the samples of the agent', () => {
    const ring = aHostSamples({}, { memoryBytes: 5, memoryLimitBytes: 8, nodeFilesOpen: 9, nodeFilesMax: 10 })
    const seen = seenOutside({ ending: anEnd(), job: null, ring }, null)
    expect(seen).toEqual({
      memory: { oomKills: 0, peakBytes: 5, limitBytes: 8 },
      isBeyondItsJob: true,
      fileTableShare: 0.9,
    })
  })

  it('reads the samples of a runner that lives up to the end of its job', () => {
    const ring = aHostSamples({ endedAt: null }, { oomKills: 1 })
    expect(seenOutside({ ending: null, job: null, ring }, endedAt).memory.oomKills).toBe(1)
  })
})
