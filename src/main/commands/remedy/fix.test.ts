import { describe, expect, it } from 'vitest'
import { demoSet, openGround, runnersPath } from '../../../../test/support/remedy-ground.ts'
import { fix, readTrail, reap } from './index.ts'

const never = new AbortController().signal

describe('holdfast fix failed-runners on a cluster and a forge', () => {
  async function ground() {
    const opened = await openGround('0.14.2/e-failed-runners-hold-slots')
    opened.isListed.value = false
    const order = { ...opened.order, remedy: 'failed-runners', scope: demoSet } as const
    const run = (apply: string | null = null) => fix(opened.config, { ...order, apply }, never)
    return { ...opened, run }
  }

  it('removes exactly the planned ones, frees their slots, and the trail holds', async () => {
    const { run, left, api, config } = await ground()
    const { state, hash, plan } = await run()
    expect([state, plan.objects.length, left().length]).toEqual(['planned', 4, 4])
    expect(api.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(await run(hash)).toMatchObject({ state: 'done' })
    expect(left()).toEqual([])
    const { rows, problems } = await readTrail(config, null, never)
    expect([problems, new Set(rows.map(({ remedy }) => remedy))]).toEqual([[], new Set(['failed-runners'])])
  })

  it('touches none where one came to life after the plan', async () => {
    const { run, left, api } = await ground()
    const { hash, plan } = await run()
    const name = plan.objects[0]?.name ?? ''
    const object = api.truth.get(runnersPath, name)
    api.truth.put(runnersPath, name, { ...object, status: { phase: 'Running' } } as never)
    expect(await run(hash)).toMatchObject({ state: 'aborted' })
    expect(left()).toHaveLength(4)
  })

  it('refuses a plan of its own to another remedy, by name', async () => {
    const { run, left, config, order } = await ground()
    const { hash } = await run()
    const reaping = { ...order, apply: hash, scope: { ...demoSet, isStaleGeneration: false, minAgeMs: 0 } }
    await expect(reap(config, reaping, never)).rejects.toMatchObject({
      code: 'E_PLAN_OTHER',
      message: expect.stringMatching(/is one of failed-runners; this command applies plans of reap/),
    })
    expect(left()).toHaveLength(4)
  })
})

describe('holdfast fix handoff on a cluster and a forge', () => {
  const since = '2026-11-16T12:00:00Z'
  const times = { created_at: since, started_at: since, completed_at: null }

  /** The lane of ARC's real controller: its runner is free at the forge, and the next job waits in another repository. */
  async function ground() {
    const job = { id: 42, run_id: 3, name: 'build', labels: ['arc-demo'], conclusion: null, ...times }
    const at = { status: 'queued', runner_name: null as string | null }
    const next = () => ({ ...job, ...at })
    const run = { id: 3, status: 'queued', created_at: since }
    const opened = await openGround('0.14.2/k-cancelled-handoff', {
      '/api/v3/repos/bench/web/actions/runs?status=queued': [200, { total_count: 1, workflow_runs: [run] }],
      '/api/v3/repos/bench/web/actions/runs?status=in_progress': [200, { total_count: 0, workflow_runs: [] }],
      '/api/v3/repos/bench/web/actions/runs/3/jobs': () => [200, { total_count: 1, jobs: [next()] }],
      '/api/v3/repos/bench/web/actions/jobs/42': () => {
        if (opened.left().length === 0) Object.assign(at, { status: 'in_progress', runner_name: 'next' })
        return [200, next()]
      },
    })
    const scope = { ...demoSet, repository: 'bench/web', minWaitMs: 0, withoutWorker: [] }
    const order = { ...opened.order, remedy: 'handoff', scope } as const
    const fixing = (apply: string | null = null) => fix(opened.config, { ...order, apply }, never)
    return { ...opened, at, run: fixing }
  }

  it('removes the one runner, and sees the next job start', async () => {
    const { run, left } = await ground()
    const { hash, plan } = await run()
    expect(plan.objects).toMatchObject([{ next: { repository: 'bench/web', jobId: 42 } }])
    expect(left()).toHaveLength(1)
    expect(await run(hash)).toMatchObject({ state: 'done' })
    expect(left()).toEqual([])
  })

  it('touches nothing where the next job was cancelled after the plan', async () => {
    const { run, left, at } = await ground()
    const { hash } = await run()
    at.status = 'completed'
    expect(await run(hash)).toMatchObject({ state: 'aborted' })
    expect(left()).toHaveLength(1)
  })
})
