import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answering, routed } from '../../../../test/contract/github/answering.ts'
import { loadConfig } from '../../../platform/config/index.ts'
import { transientLog } from '../../../remedy/testing/proof-world.ts'
import { fix, readTrail } from './index.ts'

const never = new AbortController().signal
const repo = '/api/v3/repos/acme/platform/actions'
const sha = 'a'.repeat(40)
const time = (minutes: number) => `2026-06-01T03:${String(minutes).padStart(2, '0')}:00Z`

function jobOf(id: number, attempt: number, conclusion: string) {
  return {
    id,
    run_id: 31,
    run_attempt: attempt,
    name: 'Prove linux contract',
    labels: ['linux'],
    status: 'completed',
    conclusion,
    head_sha: sha,
    created_at: time(attempt),
    started_at: time(attempt),
    completed_at: time(attempt + 10),
    runner_id: attempt,
    runner_name: `linux-${attempt}`,
    steps: [],
  }
}

/** A GitHub with one failed proof, which passes when it is run again. */
async function ground() {
  const jobs = [jobOf(87, 1, 'failure')]
  const reruns: string[] = []
  const run = { id: 31, status: 'completed', created_at: time(0), head_branch: 'main', head_sha: sha }
  const runs = [run]
  const routes = routed({
    [`${repo}/jobs/87`]: () => [200, jobs[0]],
    '/api/v3/repos/acme/platform/check-runs/87/annotations': [200, []],
    [`${repo}/jobs/87/logs`]: (request) => [302, {}, { location: `http://${request.headers.host}/log` }],
    [`${repo}/runs/31`]: () => [200, run],
    [`${repo}/runs`]: () => [200, { total_count: runs.length, workflow_runs: runs }],
    [`${repo}/runs/31/jobs`]: () => [200, { total_count: jobs.length, jobs }],
    [`POST ${repo}/jobs/87/rerun`]: () => {
      reruns.push('87')
      jobs.push(jobOf(89, 2, 'success'))
      return [201, {}]
    },
  })
  const url = await answering((request, response) =>
    request.url === '/log' ? void response.end(transientLog) : routes(request, response),
  )
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-proof-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const { config } = loadConfig({
    env: {
      HOLDFAST_DATA_DIR: dataDir,
      HOLDFAST_FORGE_KIND: 'github',
      HOLDFAST_FORGE_URL: url,
      HOLDFAST_FORGE_TOKEN: 'ghp_0123456789abcdefghij0123456789abcdef',
      HOLDFAST_FORGE_WEBHOOK_SECRETS: 'x'.repeat(32),
    },
    flags: {},
    readFile: () => undefined,
    isRoot: false,
  })
  const declared = [{ repository: 'acme/platform', job: 'Prove linux contract' }]
  const scope = { repository: 'acme/platform', jobId: 87, declared, waitMs: 0 }
  const shared = { isUnattended: false, controllerNamespace: '', kubeconfig: undefined, context: undefined }
  const order = { remedy: 'retry-proof', ...shared, apply: null, scope } as const
  const plan = () => fix(config, order, never)
  const apply = (hash: string) => fix(config, { ...order, apply: hash, scope: null }, never)
  return { config, plan, apply, reruns, runs }
}

describe('holdfast fix retry-proof at GitHub', () => {
  it('runs exactly the planned job again, once, and its pass is the result', async () => {
    const { config, plan, apply, reruns } = await ground()
    const { state, hash, plan: made } = await plan()
    expect([state, made.site, reruns]).toEqual(['planned', expect.stringContaining('127.0.0.1'), []])
    expect(await apply(hash)).toMatchObject({ state: 'done' })
    expect(await apply(hash)).toMatchObject({ state: 'blocked' })
    expect((await plan()).plan.objects).toEqual([])
    expect(reruns).toEqual(['87'])
    const { rows, problems } = await readTrail(config, null, never)
    expect([problems, new Set(rows.map(({ remedy }) => remedy))]).toEqual([[], new Set(['retry-proof'])])
  })

  it('runs nothing again whose branch has gone on since the plan', async () => {
    const { plan, apply, reruns, runs } = await ground()
    const { hash } = await plan()
    runs.unshift({
      ...(runs[0] as (typeof runs)[number]),
      id: 32,
      created_at: time(30),
      head_sha: 'b'.repeat(40),
    })
    const { state, run } = await apply(hash)
    expect([state, run?.outcome]).toEqual(['aborted', expect.stringContaining('head-current')])
    expect(reruns).toEqual([])
  })
})
