import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import { look } from './index.ts'

const minuteMs = 60_000
const handle = '11111111-1111-4111-8111-111111111111'

async function lookAt(bench: ControlBench, runnerId: number): Promise<void> {
  const subject = await bench.ledger.subject({ kind: 'runner', id: runnerId })
  if (subject === null) throw new Error('the runner has ended')
  await look(subject, bench, never)
}

/** A runner with a job, of which nothing is left on its host. */
async function vanished(bench: ControlBench) {
  const jobId = await bench.queue()
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, handle, 60 * minuteMs)
  return { jobId, runner }
}

describe('a runner that vanished', () => {
  it('has a record with the ledger’s facts about its job, and logs a warning once', async () => {
    const bench = await createControlBench()
    const { jobId, runner } = await vanished(bench)
    await lookAt(bench, runner.id)
    expect(bench.ledger.rows.evidence.get(1)?.record).toMatchObject({
      class: 'vanished',
      outcome: 'incomplete',
      ending: null,
      job: { jobId, attemptState: 'claimed', forgeStatus: 'queued' },
    })
    expect(bench.metrics.counts.get('holdfast_runners_vanished_total{linux}')).toBe(1)
    expect(bench.metrics.counts.get('holdfast_deaths_total{vanished}')).toBe(1)
    const logged = bench.log.lines.filter(({ message }) => message === 'runner pod terminated')
    expect(logged).toMatchObject([{ level: 'warn', fields: { pod: runner.name, class: 'vanished' } }])
  })

  it('has its record also where its job cannot be read', async () => {
    const bench = await createControlBench()
    const { runner } = await vanished(bench)
    const ledger = { ...bench.ledger, jobAtEnd: () => Promise.reject(new Error('no answer')) }
    await lookAt({ ...bench, ledger }, runner.id)
    const record = bench.ledger.rows.evidence.get(1)?.record
    expect(record).toMatchObject({ class: 'vanished', job: null })
    expect(JSON.stringify(record?.unknown)).toContain('no answer')
    expect(bench.metrics.counts.get('holdfast_evidence_failures_total{job}')).toBe(1)
  })
})
