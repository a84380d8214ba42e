import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createForgeCore, type ForgeCore, type Reads } from './index.ts'
import { seededEntropy } from './seeded-entropy.ts'

const repository = 'acme/shop'
const keptMs = 10_000
const step = fc.record({
  do: fc.constantFrom(
    ...(['submit', 'mint', 'take', 'complete', 'cancel', 'rerun', 'remove', 'delete', 'approve'] as const),
  ),
  waitMs: fc.constantFrom(1, 10, 500, 2_000),
  which: fc.nat(20),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

describe('reading in the past', () => {
  it('shows for any time in the past exactly what a read at that time showed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), fc.nat(keptMs), (steps, lagMs) => {
        const forge = createForgeCore({ entropy: seededEntropy(1) })
        forge.addRepository(repository, 0)
        forge.keepPast(keptMs)
        const seen: { at: number; what: unknown }[] = [{ at: 0, what: shown(forge) }]
        const sessions: string[] = []
        let now = 1
        for (const each of steps) {
          now += each.waitMs
          for (let due = forge.nextDeadline(); due !== null && due <= now; due = forge.nextDeadline()) {
            forge.advance(due)
            seen.push({ at: due, what: shown(forge) })
          }
          take(forge, sessions, each, now)
          forge.advance(now)
          seen.push({ at: now, what: shown(forge) })
          const then = seen.findLast(({ at }) => at <= now - lagMs) ?? seen[0]
          expect(shown(forge.past(lagMs))).toEqual(then?.what)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('shows the present where no past was kept', () => {
    const forge = createForgeCore({ entropy: seededEntropy(1) })
    forge.submit({ repository, workflow: 'w', jobs: [{ name: 'j', labels: ['linux'], script: '' }] }, 1)
    expect(shown(forge.past(keptMs))).toEqual(shown(forge))
  })
})

function take(forge: ForgeCore, sessions: string[], { do: what, which }: Step, now: number): void {
  const job = forge.jobs()[which % Math.max(forge.jobs().length, 1)]
  if (what === 'submit') {
    const environment = which % 4 === 0 ? 'production' : undefined
    const elsewhereMs = which % 5 === 0 ? 300 : undefined
    const order = { name: 'j', labels: ['linux'], script: '', environment, elsewhereMs }
    forge.submit({ repository, workflow: 'w', jobs: [order] }, now)
  }
  if (what === 'mint') {
    const minted = forge.mint({ repository, name: `r-${now}`, labels: ['linux'] }, now)
    const connected = minted.kind === 'minted' ? forge.connect(minted.jit, 'program', now) : null
    if (connected?.kind === 'connected') sessions.push(connected.session)
  }
  if (what === 'take') forge.poll(sessions.at(-1) ?? '', now)
  if (what === 'remove') forge.removeRunner(repository, which, now)
  if (job === undefined) return
  const session = job.starts.at(-1)?.session
  if (what === 'complete' && session !== undefined) forge.complete(session, job.id, 'failure', now)
  if (what === 'cancel') forge.cancel(job.id, now)
  if (what === 'rerun') forge.rerun(job.runId, 'all', now)
  if (what === 'delete') forge.deleteRun(job.runId, now)
  if (what === 'approve')
    forge.review(job.runId, [forge.pending(job.runId)[0]?.id ?? 0], which % 2 === 0, now)
}

function shown(reads: Reads) {
  const runs = reads.runs(repository)
  return {
    jobs: reads.jobs(),
    runs,
    ofRuns: runs.map((run) => reads.jobsOf(run.id, run.attempt)),
    runners: reads.runners(repository),
  }
}
