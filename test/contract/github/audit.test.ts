import { describe, expect, it } from 'vitest'
import type { AuditDeps } from '../../../src/recovery/index.ts'
import { auditNow } from '../../../src/recovery/index.ts'
import { createControlBench } from '../../support/control-bench.ts'
import { clock } from '../../support/machine.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { type OverHttp, overHttp } from '../forge/over-http.ts'

const never = new AbortController().signal
const labels = ['self-hosted', 'linux']
const installation = 'sim'

/** The whole audit over real HTTP against the simulated forge; webhooks reach nobody. */
async function createAudit() {
  const under = untilTestEnds(await overHttp(installation))
  const bench = await createControlBench()
  // Both sides have one time: the forge's is the machine's.
  await bench.advance(clock.now() - bench.clock.now())
  const deps: AuditDeps = { ...bench, forge: under.forge, deliveries: null }
  return { under, bench, audit: () => auditNow(deps, 300_000, never) }
}

/** A job that a runner of ours gets and finishes without any webhook. */
async function ranUnseen(under: OverHttp, repository: string, runner: string): Promise<number> {
  const id = await under.submit({ repository, name: 'build', labels })
  const minted = await under.forge.mint({ scope: { installation, repository }, name: runner, labels }, never)
  if (minted.kind !== 'minted') throw new Error(minted.reason)
  const connected = await under.connect(minted.jit, `program of ${runner}`)
  expect(await connected?.take()).toBe(id)
  await connected?.finish(id, 'success')
  return id
}

const runOf = async (under: OverHttp, repository: string, id: number) =>
  (await under.forge.readJob({ installation, repository }, id, never))?.job.runId as number

const notFound = (under: OverHttp, match: string, count = 1) =>
  under.calls.send('POST', '/_sim/faults', { rest: { count, do: 'fail', status: 404, match } })

describe('a run that is deleted between the list of runs and the list of its jobs', () => {
  it('hides no other run of its repository: a job that began and ended unseen is found', async () => {
    const { under, bench, audit } = await createAudit()
    const deleted = await under.submit({ repository: 'acme/shop', name: 'old', labels: ['nobody'] })
    const unseen = await ranUnseen(under, 'acme/shop', 'linux-0001-abcdef01')
    await notFound(under, `/runs/${await runOf(under, 'acme/shop', deleted)}/jobs`)
    const report = await audit()
    expect(await bench.ledger.findJob(installation, unseen)).toMatchObject({ state: 'completed' })
    expect(report.compared).toMatchObject({ notCovered: [], runsGone: 1 })
  })
})

describe('a repository that the forge does not show', () => {
  it('keeps its cursor until it is shown again, however often the audit of the others goes on', async () => {
    const { under, bench, audit } = await createAudit()
    await under.submit({ repository: 'acme/open', name: 'build', labels })
    await audit()
    const unseen = await ranUnseen(under, 'acme/shop', 'linux-0001-abcdef01')
    for (let pass = 0; pass < 3; pass += 1) {
      await notFound(under, '/repos/acme/shop/actions/runs')
      expect((await audit()).compared).toMatchObject({ notCovered: ['acme/shop'] })
      // Further than the audit looks back beyond its cursor.
      await bench.advance(10 * 60 * 60_000)
    }
    expect(await bench.ledger.findJob(installation, unseen)).toBeNull()
    expect((await audit()).compared).toMatchObject({ notCovered: [] })
    expect(await bench.ledger.findJob(installation, unseen)).toMatchObject({ state: 'completed' })
  })
})
