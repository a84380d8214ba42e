import { describe, expect, it } from 'vitest'
import { createGitHubWebhooks } from '../../../src/adapters/github/index.ts'
import { whyQueued } from '../../../src/domain/queue/index.ts'
import { intakeLoop } from '../../../src/intake/index.ts'
import { auditNow } from '../../../src/recovery/index.ts'
import { createControlBench } from '../../support/control-bench.ts'
import { github, type Routes, routed } from './answering.ts'

const never = new AbortController().signal
const installation = 'sim'
const job = {
  id: 7,
  run_id: 70,
  run_attempt: 1,
  name: 'deploy',
  labels: ['self-hosted'] as (string | null)[],
  status: 'queued',
  conclusion: null as string | null,
  runner_id: null,
  runner_name: null,
  created_at: '2026-01-02T03:04:05Z',
  started_at: '2026-01-02T03:04:05Z',
  completed_at: null,
}
const runs = '/repos/acme/web/actions/runs'
const ours = { id: 1, private: true }

/** GitHub's messages through the whole intake, or its lists through the whole audit. */
async function createBench() {
  const bench = await createControlBench()
  const webhooks = createGitHubWebhooks({ installation, secrets: () => [] })
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  let messages = 0
  return {
    bench,
    async receive(action: string, over: Partial<typeof job> = {}) {
      messages += 1
      const repository = { id: 1, full_name: 'acme/web', private: true }
      const body = JSON.stringify({ action, workflow_job: { ...job, ...over }, repository })
      const delivery = { guid: `guid-${messages}`, installation, event: 'workflow_job', subject: null, body }
      await bench.ledger.storeDelivery(delivery)
      await intakeLoop({ ...bench, webhooks }).pass(never)
    },
    async listed(over: Partial<typeof job>) {
      const routes: Routes = {
        '/user/repos': [200, [{ id: 1, full_name: 'acme/web' }]],
        [runs]: [200, { total_count: 1, workflow_runs: [{ id: 70, status: 'queued', repository: ours }] }],
        [`${runs}/70/jobs`]: [200, { total_count: 1, jobs: [{ ...job, ...over }] }],
        '/repos/acme/web/actions/jobs/7': [200, { ...job, ...over }],
      }
      const { forge } = await github(routed(routes), { installation })
      await auditNow({ ...bench, forge, deliveries: null }, 300_000, never)
    },
    why: async () => {
      const facts = await bench.ledger.queueFacts(1)
      return facts === null ? null : whyQueued(facts).reason
    },
    claim: async () =>
      (await bench.ledger.claim(runner, '00000000-0000-4000-8000-000000000000', 60_000)).kind,
  }
}

describe('a job that waits for an approval', () => {
  for (const status of ['waiting', 'pending', 'requested']) {
    it(`gets no runner while GitHub announces it as queued and ${status}, twice`, async () => {
      const { receive, why, claim } = await createBench()
      await receive('queued', { status })
      await receive('queued', { status })
      expect([await claim(), await why()]).toEqual(['nothing', 'awaiting-approval'])
    })
  }

  it('is known from the message `waiting` as well', async () => {
    const { receive, why, claim } = await createBench()
    await receive('waiting', { status: 'waiting' })
    expect([await claim(), await why()]).toEqual(['nothing', 'awaiting-approval'])
  })

  it('gets one when GitHub says queued in earnest', async () => {
    const { receive, claim } = await createBench()
    await receive('queued', { status: 'waiting' })
    await receive('queued')
    expect(await claim()).toBe('claimed')
  })

  it('gets none where only the audit lists it, and one when the audit lists it as queued', async () => {
    const { listed, why, claim } = await createBench()
    await listed({ status: 'waiting' })
    expect([await claim(), await why()]).toEqual(['nothing', 'awaiting-approval'])
    await listed({ status: 'queued' })
    expect(await claim()).toBe('claimed')
  })
})

describe('a job without labels, or one that was skipped', () => {
  it('is not ours by message or by list', async () => {
    const { receive, listed, bench, claim } = await createBench()
    await receive('queued', { labels: [] })
    await receive('completed', { status: 'completed', conclusion: 'skipped' })
    await listed({ labels: [] })
    expect([bench.ledger.rows.jobs.size, await claim()]).toEqual([0, 'nothing'])
  })

  it('does not keep one with labels from a runner', async () => {
    const { receive, claim } = await createBench()
    await receive('queued')
    expect(await claim()).toBe('claimed')
  })
})
