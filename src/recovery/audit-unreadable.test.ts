import { describe, expect, it } from 'vitest'
import { createControlBench, never } from '../../test/support/control-bench.ts'
import type { JobsAsked } from '../ports/forge.ts'
import { auditLoop } from './index.ts'

const everyMs = 300_000
const hourMs = 3_600_000

/** The request of the second audit of a forge that keeps no list of its webhooks. */
async function secondAudit(isUnreadable: boolean): Promise<{ readonly backMs: number }> {
  const bench = await createControlBench()
  const jobId = await bench.queue()
  const requests: JobsAsked[] = []
  const { listJobs } = bench.forge
  const forge: typeof bench.forge = {
    ...bench.forge,
    listJobs(which, signal) {
      requests.push(which)
      return listJobs(which, signal)
    },
  }
  const loop = auditLoop({ ...bench, forge, deliveries: null }, everyMs)
  await loop.pass(never)
  await bench.advance(everyMs)
  if (isUnreadable) bench.ledger.makeUnreadable({ kind: 'job', id: jobId })
  await loop.pass(never).catch(() => undefined) // it reports the event that could not be applied
  return { backMs: bench.clock.now() - (requests.at(-1)?.since ?? 0) }
}

describe('a job that only a newer version can read', () => {
  it('makes the audit look as far back as after a loss: it may be open, and older than any other', async () => {
    expect((await secondAudit(true)).backMs).toBeGreaterThan(6 * hourMs)
  })

  it('is the cause: where all jobs can be read the audit looks back a little', async () => {
    expect((await secondAudit(false)).backMs).toBeLessThan(hourMs)
  })
})
