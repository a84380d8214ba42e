import { describe, expect, it } from 'vitest'
import { awaitsApproval } from './approval.ts'
import { attentionRank, standingOf } from './standing.ts'

const queued = { state: 'queued', quarantine: null, pool: 'linux' } as const

describe('standingOf', () => {
  it('distinguishes a queued job that is withheld from one that waits its turn', () => {
    expect(standingOf(queued)).toBe('queued')
    expect(standingOf({ ...queued, quarantine: 'refused five times' })).toBe('quarantined')
    expect(standingOf({ ...queued, quarantine: awaitsApproval })).toBe('waits-for-approval')
  })

  it('does not call a job withheld that is over', () => {
    expect(standingOf({ state: 'completed', quarantine: 'refused five times' })).toBe('completed')
  })
})

describe('attentionRank', () => {
  it('puts jobs that no runner will take before queued, queued before running, and ended jobs last', () => {
    const ranks = [
      attentionRank({ ...queued, quarantine: 'refused five times' }),
      attentionRank({ ...queued, pool: null }),
      attentionRank({ ...queued, state: 'claimed' }),
      attentionRank(queued),
      attentionRank({ ...queued, quarantine: awaitsApproval }),
      attentionRank({ ...queued, state: 'running' }),
      attentionRank({ ...queued, state: 'lost' }),
    ]
    expect(ranks).toEqual([0, 0, 0, 1, 1, 2, 3])
  })
})
