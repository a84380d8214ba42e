import { describe, expect, it } from 'vitest'
import { createControlBench, never } from '../../test/support/control-bench.ts'
import type { JobsAsked } from '../ports/forge.ts'
import { auditLoop } from './index.ts'

const everyMs = 300_000
const hourMs = 3_600_000

/** What the second audit of a forge that keeps no list of its webhooks asks for. */
async function secondAudit(isUnreadable: boolean): Promise<{ readonly backMs: number }> {
  const bench = await createControlBench()
  const jobId = await bench.queue()
  const asked: JobsAsked[] = []
  const { listJobs } = bench.forge
  const forge: typeof bench.forge = {
    ...bench.forge,
    listJobs(which, signal) {
      asked.push(which)
      return listJobs(which, signal)
    },
  }
  const loop = auditLoop({ ...bench, forge, deliveries: null }, everyMs)
  await loop.pass(never)
  await bench.advance(everyMs)
  if (isUnreadable) bench.ledger.makeUnreadable({ kind: 'job', id: jobId })
  await loop.pass(never).catch(() => undefined) // it tells of the word that could not be heard
  return { backMs: bench.clock.now() - (asked.at(-1)?.since ?? 0) }
}

describe('a job that only a newer version can read', () => {
  it('has the audit look as far back as after a loss: it may be open, and older than any other', async () => {
    expect((await secondAudit(true)).backMs).toBeGreaterThan(6 * hourMs)
  })

  it('is the reason: where all can be read the audit looks back a little', async () => {
    expect((await secondAudit(false)).backMs).toBeLessThan(hourMs)
  })
})
