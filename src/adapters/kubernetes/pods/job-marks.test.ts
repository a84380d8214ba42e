import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobMarks } from './job-marks.ts'

const job = { repository: 'acme/app', name: 'build (linux, 22)', runId: 7, runAttempt: 2, forgeJobId: 99 }

describe('the labels and annotations that a pod has of its job', () => {
  it('are a label to select by, and an annotation with the whole text', () => {
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

  it('name the workflow where the forge gave it, bounded and masked like the rest', () => {
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

  it('have no secret that stands in a name', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    expect(JSON.stringify(jobMarks({ ...job, name: `deploy with ${secret}` }))).not.toContain(secret)
  })

  it('are always valid for the API, whatever a job is called', () => {
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
