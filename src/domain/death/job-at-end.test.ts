import { describe, expect, it } from 'vitest'
import { aJob, anAttempt, now } from '../../../test/support/rows.ts'
import { jobAtEndOf } from './job-at-end.ts'

describe('the job of a runner at its end', () => {
  const times = { eventAt: now, endAt: null }

  it("has the forge's own time of its end, where the forge ended it", () => {
    const over = aJob({ state: 'completed', conclusion: 'failure', forgeCompletedAt: now - 5000 })
    expect(jobAtEndOf(anAttempt(), over, times)).toMatchObject({
      forgeStatus: 'completed',
      conclusion: 'failure',
      forgeCompletedAt: now - 5000,
      heardAt: now,
    })
  })

  it('has none while it is open', () => {
    expect(jobAtEndOf(anAttempt(), aJob({ state: 'running' }), times)).not.toHaveProperty('forgeCompletedAt')
  })
})
