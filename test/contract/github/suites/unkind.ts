import { expect, it } from 'vitest'
import { plainJob } from '../../../../sim/forge/testing/kit.ts'
import type { Bench } from './bench.ts'

const repo = '/repos/acme/shop'
const runs = `${repo}/actions/runs`

/** Fates of runs other than running: they are deleted, wait for people, or are for other runners. */
export function describeUnkind({ forge, get, status }: Bench): void {
  const submitted = async (job: object): Promise<{ id: number; run_id: number }> =>
    (await forge().calls.send('POST', '/_sim/jobs', { ...plainJob, ...job })).body
  const idle = async (name: string): Promise<boolean> => {
    const { session } = (await forge().calls.connect((await forge().calls.mint(name)).jit, name)).body
    return (await forge().calls.send('GET', '/_runner/job', undefined, session)).status === 204
  }

  it('about a run that was deleted: it and its jobs are gone, also for a client that has just listed it', async () => {
    const { id, run_id: run } = await submitted({})
    const refused = await forge().calls.send('DELETE', `${runs}/${run}`)
    expect([refused.status, refused.body.message]).toEqual([403, 'Could not delete the workflow run'])
    expect(await status('POST', `${runs}/${run}/cancel`)).toBe(202)
    const listed = (await get(`${runs}?status=completed`)).body.workflow_runs
    expect(await status('DELETE', `${runs}/${run}`)).toBe(204)
    expect(await status('DELETE', `${runs}/${run}`)).toBe(404)
    expect(await status('GET', `${runs}/${listed[0].id}/jobs?filter=latest`)).toBe(404)
    expect(await status('GET', `${repo}/actions/jobs/${id}`)).toBe(404)
    expect(await status('POST', `${runs}/${run}/rerun`)).toBe(404)
    expect((await get(runs)).body.total_count).toBe(0)
    expect((await forge().calls.send('GET', '/_sim/jobs')).body.jobs).toMatchObject([{ id }])
  })

  it('about a job that waits for an approval, which somebody gives', async () => {
    const { id, run_id: run } = await submitted({ environment: 'production' })
    expect((await get(`${repo}/actions/jobs/${id}`)).body).toMatchObject({ status: 'waiting' })
    expect((await get(`${runs}?status=waiting`)).body.workflow_runs).toMatchObject([{ id: run }])
    expect(await idle('r-1')).toBe(true)
    const path = `${runs}/${run}/pending_deployments`
    const [pending] = (await get(path)).body
    expect(pending.environment.name).toBe('production')
    const review = { environment_ids: [pending.environment.id], state: 'approved', comment: 'Ship it!' }
    expect(await status('POST', `${runs}/1/pending_deployments`, review)).toBe(404)
    expect((await forge().calls.send('POST', path, review)).body).toMatchObject([
      { environment: 'production', task: 'deploy' },
    ])
    expect((await get(path)).body).toEqual([])
    expect(await status('GET', `${runs}/1/pending_deployments`)).toBe(404)
    expect((await get(`${repo}/actions/jobs/${id}`)).body).toMatchObject({ status: 'queued' })
    expect(await idle('r-2')).toBe(false)
  })

  it('about a job that somebody rejects: it failed, and nobody had it', async () => {
    const { id, run_id: run } = await submitted({ environment: 'production' })
    const path = `${runs}/${run}/pending_deployments`
    const [pending] = (await get(path)).body
    const review = { environment_ids: [pending.environment.id], state: 'rejected', comment: 'No.' }
    expect(await status('POST', path, review)).toBe(200)
    const job = (await get(`${repo}/actions/jobs/${id}`)).body
    expect(job).toMatchObject({ status: 'completed', conclusion: 'failure', runner_name: null })
  })

  it('about what is not run again: nothing failed, or the job is of an older attempt', async () => {
    const { id, run_id: run } = await submitted({})
    await forge().calls.send('POST', `/_sim/jobs/${id}/cancel`)
    expect(await status('POST', `${repo}/actions/jobs/${id}/rerun`)).toBe(201)
    await status('POST', `${runs}/${run}/cancel`)
    const old = await forge().calls.send('POST', `${repo}/actions/jobs/${id}/rerun`)
    expect([old.status, old.body.message]).toEqual([403, 'Only jobs from the current attempt can be re-run'])
    const again = (await get(`${runs}/${run}`)).body
    expect(Date.parse(again.run_started_at)).toBeGreaterThanOrEqual(Date.parse(again.created_at))
    const fine = await submitted({ labels: [], elsewhereMs: 1 })
    const path = `${runs}/${fine.run_id}`
    await expect.poll(async () => (await get(path)).body.conclusion).toBe('success')
    const nothing = await forge().calls.send('POST', `${path}/rerun-failed-jobs`)
    expect([nothing.status, nothing.body.message]).toEqual([403, 'This workflow run cannot be retried'])
  })

  it('about a job that is cancelled while it runs: under way until its runner reports', async () => {
    const { id, run_id: run } = await submitted({})
    const { session } = (await forge().calls.connect((await forge().calls.mint('r-1')).jit, 'r-1')).body
    await forge().calls.send('GET', '/_runner/job', undefined, session)
    expect(await status('POST', `${runs}/${run}/cancel`)).toBe(202)
    expect((await get(`${repo}/actions/jobs/${id}`)).body.status).toBe('in_progress')
    const job = `/_runner/jobs/${id}`
    expect((await forge().calls.send('POST', `${job}/renew`, undefined, session)).status).toBe(410)
    await forge().calls.send('POST', `${job}/complete`, { conclusion: 'cancelled' }, session)
    expect((await get(`${runs}/${run}`)).body).toMatchObject({ conclusion: 'cancelled' })
  })

  it('about lists of runs that are searched, each by its own parameter', async () => {
    const order = { repository: 'acme/shop', jobs: [{ name: 'build', labels: ['linux'], script: '' }] }
    const make = async (more: object) =>
      (await forge().calls.send('POST', '/_sim/runs', { ...order, ...more })).body.run_id as number
    const plain = await make({})
    const push = await make({ event: 'push', branch: 'next', actor: 'ada', workflow: 'release' })
    const found = async (path: string) =>
      (await get(path)).body.workflow_runs.map(({ id }: { id: number }) => id)
    for (const [query, ids] of [
      ['event=push', [push]],
      ['branch=main', [plain]],
      ['actor=ada', [push]],
      [`check_suite_id=${plain}`, [plain]],
      ['status=queued&event=schedule', []],
    ] as const) {
      expect([query, await found(`${runs}?${query}`)]).toEqual([query, ids])
    }
    const { head_sha: sha } = (await get(`${runs}/${push}`)).body
    expect(await found(`${runs}?head_sha=${sha}`)).toEqual([push])
    const { body } = await get(`${repo}/actions/workflows`)
    expect(body.total_count).toBe(2)
    const workflow = body.workflows.find(({ name }: { name: string }) => name === 'release')
    expect(await found(`${repo}/actions/workflows/${workflow.id}/runs`)).toEqual([push])
    expect(await status('GET', `${repo}/actions/workflows/${workflow.id}`)).toBe(200)
    expect(await status('GET', `${repo}/actions/workflows/1`)).toBe(404)
    expect(await status('GET', `${repo}/actions/workflows/1/runs`)).toBe(404)
    expect(await status('GET', '/repos/acme/none/actions/workflows')).toBe(404)
  })

  it('about searched lists that are behind all others', async () => {
    await forge().calls.send('POST', '/_sim/faults', { searchLagMs: 60_000 })
    await submitted({})
    expect((await get(`${runs}?status=queued`)).body.total_count).toBe(0)
    expect((await get(runs)).body.total_count).toBe(1)
  })

  it('about searched lists that show a thousand at most, and count all', { timeout: 60_000 }, async () => {
    const count = 1_001
    for (let made = 0; made < count; made += 50) {
      const batch = Array.from({ length: Math.min(50, count - made) }, () => submitted({}))
      await Promise.all(batch)
    }
    const last = await get(`${runs}?status=queued&per_page=100&page=11`)
    expect([last.body.total_count, last.body.workflow_runs]).toEqual([count, []])
    expect((await get(`${runs}?status=queued&per_page=100&page=10`)).body.workflow_runs).toHaveLength(100)
    expect((await get(`${runs}?per_page=100&page=11`)).body.workflow_runs).toHaveLength(1)
  })

  it('about a job without labels, which is for no runner of ours', async () => {
    const { id } = await submitted({ labels: [] })
    expect(await idle('r-1')).toBe(true)
    const hosted = await submitted({ labels: [], elsewhereMs: 1 })
    await expect
      .poll(async () => (await get(`${repo}/actions/jobs/${hosted.id}`)).body.conclusion)
      .toBe('success')
    expect((await get(`${repo}/actions/jobs/${hosted.id}`)).body).toMatchObject({
      runner_group_name: 'GitHub Actions',
      labels: [],
    })
    expect((await get(`${repo}/actions/jobs/${id}`)).body).toMatchObject({ status: 'queued', labels: [] })
  })
}
