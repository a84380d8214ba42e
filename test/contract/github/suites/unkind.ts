import { expect, it } from 'vitest'
import { plainJob } from '../../../../sim/forge/testing/kit.ts'
import type { Bench } from './bench.ts'

const repo = '/repos/acme/shop'
const runs = `${repo}/actions/runs`

/** What becomes of runs beside running: they are deleted, wait for people, or are for other runners. */
export function describeUnkind({ forge, get, status }: Bench): void {
  const submitted = async (job: object): Promise<{ id: number; run_id: number }> =>
    (await forge().calls.send('POST', '/_sim/jobs', { ...plainJob, ...job })).body
  const idle = async (name: string): Promise<boolean> => {
    const { session } = (await forge().calls.connect((await forge().calls.mint(name)).jit, name)).body
    return (await forge().calls.send('GET', '/_runner/job', undefined, session)).status === 204
  }

  it('about a run that was deleted: it and its jobs are gone, also for whoever has just listed it', async () => {
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
