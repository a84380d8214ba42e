import { describe, expect, it } from 'vitest'
import { createMetrics, firstSeen } from './index.ts'

const sets = { pools: ['local'], routes: ['/jobs'], tasks: ['sweep'] }

describe('metrics', () => {
  it('counts, sets and observes by the names of the table', async () => {
    const metrics = createMetrics({ sets, ofProcess: false })
    metrics.count('holdfast_deliveries_total', { outcome: 'stored' })
    metrics.count('holdfast_deliveries_total', { outcome: 'stored' }, 2)
    metrics.set('holdfast_jobs_queued', { pool: 'local' }, 7)
    metrics.observe('holdfast_job_wait_seconds', { pool: 'local' }, 1.5)
    const text = await metrics.text()
    expect(text).toContain('holdfast_deliveries_total{outcome="stored"} 3')
    expect(text).toContain('holdfast_jobs_queued{pool="local"} 7')
    expect(text).toContain('holdfast_job_wait_seconds_bucket{le="1",pool="local"} 0')
    expect(text).toContain('holdfast_job_wait_seconds_bucket{le="2",pool="local"} 1')
    expect(metrics.contentType).toContain('text/plain')
  })

  it('takes the first values of a set that grows, and no more', async () => {
    const metrics = createMetrics({ sets: { ...sets, pools: firstSeen(2) }, ofProcess: false })
    for (const pool of ['a', 'b', 'c', 'a']) metrics.set('holdfast_jobs_queued', { pool }, 1)
    const series = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('holdfast_jobs_queued{'))
    expect(series).toEqual(['a', 'b', 'other'].map((pool) => `holdfast_jobs_queued{pool="${pool}"} 1`))
  })

  it('makes no series for values outside of a declared set', async () => {
    const metrics = createMetrics({ sets, ofProcess: false })
    for (let index = 0; index < 100; index++)
      metrics.count('holdfast_task_failures_total', { task: `made-up-${index}` })
    metrics.count('holdfast_task_failures_total', { task: 'sweep' })
    const series = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('holdfast_task_failures_total{'))
    expect(series).toEqual([
      'holdfast_task_failures_total{task="other"} 100',
      'holdfast_task_failures_total{task="sweep"} 1',
    ])
  })

  it('drops a negative count and a value that is no number instead of throwing', async () => {
    const metrics = createMetrics({ sets, ofProcess: false })
    metrics.count('holdfast_deliveries_total', { outcome: 'stored' }, -1)
    metrics.observe('holdfast_job_wait_seconds', { pool: 'local' }, Number.NaN)
    expect(await metrics.text()).not.toMatch(/stored|_count\{/)
  })

  it('shares nothing between two registries', async () => {
    const one = createMetrics({ sets, ofProcess: true })
    const two = createMetrics({ sets, ofProcess: false })
    one.count('holdfast_deliveries_total', { outcome: 'refused' })
    expect(await two.text()).not.toContain('refused')
    expect(await one.text()).toContain('process_resident_memory_bytes')
  })
})
