import { describe, expect, it } from 'vitest'
import { jobEventOf } from './job-event.ts'
import { jobFactOf } from './job-fact.ts'
import type { GiteaJobDetail } from './schemas.ts'

const step = (number: number, conclusion: string | null) => ({
  number,
  name: `step ${number}`,
  status: 'completed',
  conclusion,
})

function stepsOf(steps: GiteaJobDetail['steps'], conclusion = 'failure') {
  const job: GiteaJobDetail = {
    id: 7,
    run_id: 70,
    run_attempt: 1,
    name: 'build',
    labels: [],
    status: 'completed',
    conclusion,
    runner_id: 5,
    url: '',
    steps,
  }
  const named = { installation: 'gitea', repository: 'acme/shop', forgeJobId: 7, runAttempt: 1 }
  const fact = jobFactOf(job, jobEventOf(job, named))
  return fact.steps?.map(({ conclusion: its }) => its) ?? null
}

describe('the steps of a job at Gitea', () => {
  it('name the one that failed', () => {
    expect(stepsOf([step(0, 'success'), step(1, 'failure'), step(2, 'skipped')])).toEqual([
      'success',
      'failure',
      'skipped',
    ])
    expect(stepsOf([step(0, 'failure')])).toEqual(['failure'])
  })

  it("name none where every one has the job's conclusion, as releases before 1.27 say it", () => {
    expect(stepsOf([step(0, 'failure'), step(1, 'failure')])).toEqual([null, null])
    expect(stepsOf([step(0, 'success'), step(1, 'success')], 'success')).toEqual(['success', 'success'])
  })

  it('are unknown where the release has none', () => {
    expect(stepsOf(null)).toBeNull()
  })
})
