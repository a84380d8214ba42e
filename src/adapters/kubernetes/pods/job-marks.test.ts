import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobMarks } from './job-marks.ts'

const job = { repository: 'acme/app', name: 'build (linux, 22)', runId: 7, runAttempt: 2, forgeJobId: 99 }

describe('what a pod says of its job', () => {
  it('is a label for who selects, and an annotation as it is', () => {
    expect(jobMarks(job)).toEqual({
      labels: {
        'holdfast.dev/repository': 'acme.app',
        'holdfast.dev/job': 'build.linux.22',
        'holdfast.dev/run-id': '7',
        'holdfast.dev/run-attempt': '2',
        'holdfast.dev/job-id': '99',
      },
      annotations: { 'holdfast.dev/repository': 'acme/app', 'holdfast.dev/job': 'build (linux, 22)' },
    })
  })

  it('names the workflow where the forge said it, bounded and masked as all else', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const { labels, annotations } = jobMarks({ ...job, workflow: 'CI / nightly' })
    expect(labels['holdfast.dev/workflow']).toBe('CI.nightly')
    expect(annotations['holdfast.dev/workflow']).toBe('CI / nightly')
    expect(
      JSON.stringify(jobMarks({ ...job, workflow: `${'w'.repeat(400)} ${secret}` })).length,
    ).toBeLessThan(1_200)
    expect(JSON.stringify(jobMarks({ ...job, workflow: `of ${secret}` }))).not.toContain(secret)
    expect(jobMarks(job).labels).not.toHaveProperty(['holdfast.dev/workflow'])
  })

  it('holds no secret that somebody put into a name', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    expect(JSON.stringify(jobMarks({ ...job, name: `deploy with ${secret}` }))).not.toContain(secret)
  })

  it('is always what the API takes, whatever a job is called', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400, unit: 'binary' }), (name) => {
        const { labels, annotations } = jobMarks({ ...job, name, workflow: name })
        for (const value of Object.values(labels))
          expect(value).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/)
        for (const value of Object.values(annotations)) expect(value.length).toBeLessThanOrEqual(256)
      }),
    )
  })
})
