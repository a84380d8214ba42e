import { describe } from 'vitest'
import { createGitHubRemedyForge, openConnection } from '../../../src/adapters/github/index.ts'
import { forgeJobFact, readAt } from '../../../src/domain/snapshot/testing/facts.ts'
import { RemedyWorld } from '../../../src/remedy/testing/world.ts'
import { clock } from '../../support/machine.ts'
import { answering, podToken, routed } from '../github/answering.ts'
import { remedyForgeContract } from './index.ts'

describe('in the twin', () => {
  remedyForgeContract(async () => {
    const world = new RemedyWorld()
    const job = { repository: 'acme/web', labels: ['linux'], queuedAt: readAt }
    world.jobs.set(7, forgeJobFact(7, { ...job, status: 'queued', runnerName: null }))
    world.jobs.set(8, forgeJobFact(8, { ...job, status: 'in_progress', runnerName: 'linux-1' }))
    return { forge: world.forge, queued: 7, running: 8 }
  })
})

describe('at GitHub', () => {
  remedyForgeContract(async () => {
    const run = { id: 3, status: 'in_progress', created_at: '2026-06-01T03:00:00Z' }
    const job = {
      run_id: 3,
      name: 'build',
      labels: ['linux'],
      status: 'queued',
      conclusion: null,
      created_at: '2026-06-01T03:00:00Z',
      started_at: '2026-06-01T03:00:00Z',
      completed_at: null,
      runner_id: null,
      runner_name: null,
    }
    const queued = { ...job, id: 7 }
    const running = { ...job, id: 8, status: 'in_progress', runner_id: 1, runner_name: 'linux-1' }
    const web = '/repos/acme/web/actions'
    const repositories = ['acme/web', 'beta/app'].map((full_name, id) => ({ id: id + 1, full_name }))
    const apiUrl = await answering(
      routed({
        '/user/repos': [200, repositories],
        '/repos/acme/web': [200, {}],
        [`${web}/runs?status=queued`]: [200, { total_count: 0, workflow_runs: [] }],
        [`${web}/runs?status=in_progress`]: [200, { total_count: 1, workflow_runs: [run] }],
        [`${web}/runs/3/jobs`]: [200, { total_count: 2, jobs: [queued, running] }],
        [`${web}/jobs/7`]: [200, queued],
        [`${web}/jobs/8`]: [200, running],
      }),
    )
    const credentials = { kind: 'token', token: () => podToken } as const
    const connection = openConnection({ apiUrl, credentials, clock })
    return { forge: createGitHubRemedyForge(connection, 'github.com'), queued: 7, running: 8 }
  })
})
