import { generateKeyPairSync } from 'node:crypto'
import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/rest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { plainJob, startReceiver, token } from '../../../sim/forge/testing/kit.ts'
import { clock } from '../../support/machine.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { appId, type ContractForge, hook, installation, privateKey, startContractForge } from './forge.ts'
import { type Watch, watchCalls } from './watch.ts'

const shop = { owner: 'acme', repo: 'shop' }
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let forge: ContractForge
let watch: Watch
let octokit: Octokit

beforeAll(() => {
  watch = watchCalls(() => new URL(forge.server.url).origin)
})
beforeEach(async () => {
  forge = await startContractForge()
  octokit = new Octokit({ baseUrl: forge.server.url, auth: token, log: quiet })
})
afterEach(async () => {
  await forge[Symbol.asyncDispose]()
  expect(watch.takeDifferences()).toEqual([])
})
afterAll(() => watch[Symbol.dispose]())

describe("octokit's stock REST client, which knows nothing of us", () => {
  it('mints, finds, reads and removes a runner, and learns of a name that exists', async () => {
    await forge.calls.submit()
    const order = { ...shop, name: 'r-1', runner_group_id: 1, labels: ['linux'] }
    const minted = await octokit.rest.actions.generateRunnerJitconfigForRepo(order)
    expect(minted.data.encoded_jit_config).toMatch(/^[\w+/=]+$/)
    await expect(octokit.rest.actions.generateRunnerJitconfigForRepo(order)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('Already exists'),
    })
    const found = await octokit.rest.actions.listSelfHostedRunnersForRepo({ ...shop, name: 'r-1' })
    const runner_id = found.data.runners[0]?.id as number
    const read = await octokit.rest.actions.getSelfHostedRunnerForRepo({ ...shop, runner_id })
    expect(read.data).toMatchObject({ name: 'r-1', status: 'offline', busy: false })
    const removed = await octokit.rest.actions.deleteSelfHostedRunnerFromRepo({ ...shop, runner_id })
    expect(removed.status).toBe(204)
  })

  it('reads every page of every list by the links between them', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `job ${index}`)
    for (const name of names) await forge.calls.submit({ name })
    for (const name of names) await forge.calls.mint(name.replace(' ', '-'))
    await forge.calls.submit({ repository: 'acme/site' })
    await forge.calls.send('POST', '/_sim/runs', {
      repository: 'acme/shop',
      workflow: 'large',
      jobs: names.map((name) => ({ name, labels: ['linux'], script: '' })),
    })
    const pages = { per_page: 3 }
    const { actions, repos } = octokit.rest
    const runners = await octokit.paginate(actions.listSelfHostedRunnersForRepo, { ...shop, ...pages })
    const runs = await octokit.paginate(actions.listWorkflowRunsForRepo, { ...shop, ...pages })
    const run_id = runs[0]?.id as number
    const jobs = await octokit.paginate(actions.listJobsForWorkflowRun, { ...shop, run_id, ...pages })
    const repositories = await octokit.paginate(repos.listForAuthenticatedUser, { per_page: 1 })
    expect([runners.length, runs.length, jobs.length, repositories.length]).toEqual([7, 8, 7, 2])
    expect(jobs.map(({ name }) => name)).toEqual(names)
    expect(new Set(runs.map(({ id }) => id)).size).toBe(8)
  })

  it('reads a job to its end, and why its runner was given up', async () => {
    const job_id = await forge.calls.submit()
    const read = async () => (await octokit.rest.actions.getJobForWorkflowRun({ ...shop, job_id })).data
    expect(await read()).toMatchObject({ status: 'queued', conclusion: null, runner_name: null })
    const { session } = (await forge.calls.connect((await forge.calls.mint('r-1')).jit, 'program')).body
    await forge.calls.send('GET', '/_runner/job', undefined, session)
    expect(await read()).toMatchObject({ status: 'in_progress', runner_name: 'r-1' })
    await forge.calls.send('POST', `/_runner/jobs/${job_id}/complete`, { conclusion: 'failure' }, session)
    expect(await read()).toMatchObject({ status: 'completed', conclusion: 'failure' })
    const annotations = await octokit.rest.checks.listAnnotations({ ...shop, check_run_id: job_id })
    expect(annotations.data).toEqual([])
  })

  it('cancels a run, runs it again, and reads the log of what ran', async () => {
    const job_id = await forge.calls.submit()
    const run_id = (await octokit.rest.actions.getJobForWorkflowRun({ ...shop, job_id })).data.run_id
    await octokit.rest.actions.cancelWorkflowRun({ ...shop, run_id })
    await octokit.rest.actions.reRunWorkflowFailedJobs({ ...shop, run_id })
    const run = await octokit.rest.actions.getWorkflowRun({ ...shop, run_id })
    expect(run.data).toMatchObject({ run_attempt: 2, status: 'queued' })
    const [job] = (await octokit.rest.actions.listJobsForWorkflowRun({ ...shop, run_id })).data.jobs
    const id = job?.id as number
    expect(id).not.toBe(job_id)
    const order = { org: 'acme', name: 'r-1', runner_group_id: 1, labels: ['self-hosted', 'linux'] }
    const minted = await octokit.rest.actions.generateRunnerJitconfigForOrg(order)
    const { session } = (await forge.calls.connect(minted.data.encoded_jit_config, 'program')).body
    await forge.calls.send('GET', '/_runner/job', undefined, session)
    await forge.calls.send('POST', `/_runner/jobs/${id}/log`, 'hello\n', session)
    await forge.calls.send('POST', `/_runner/jobs/${id}/complete`, { conclusion: 'success' }, session)
    const log = await octokit.rest.actions.downloadJobLogsForWorkflowRun({ ...shop, job_id: id })
    expect(String(log.data)).toBe('hello\n')
    const all = { ...shop, run_id, filter: 'all' } as const
    expect((await octokit.rest.actions.listJobsForWorkflowRun(all)).data.total_count).toBe(2)
  })

  it('finds the groups of an organisation, whom one serves, and mints into it', async () => {
    await forge.calls.submit()
    const made = { organization: 'acme', name: 'some', visibility: 'selected', selected: ['acme/shop'] }
    await forge.calls.send('POST', '/_sim/runner-groups', made)
    const org = 'acme'
    const groups = await octokit.paginate('GET /orgs/{org}/actions/runner-groups', { org, per_page: 1 })
    const group = groups.find(({ name }) => name === 'some')
    const runner_group_id = group?.id as number
    const path = 'GET /orgs/{org}/actions/runner-groups/{runner_group_id}/repositories'
    const served = await octokit.request(path, { org, runner_group_id })
    expect(served.data.repositories.map(({ full_name }) => full_name)).toEqual(['acme/shop'])
    const order = { org, name: 'r-1', runner_group_id, labels: ['linux'] }
    const { data } = await octokit.rest.actions.generateRunnerJitconfigForOrg(order)
    expect(data.runner.runner_group_id).toBe(runner_group_id)
  })

  it('approves what waits, is refused a second time, and deletes what is over', async () => {
    const { actions } = octokit.rest
    const order = { ...plainJob, environment: 'production' }
    const { run_id } = (await forge.calls.send('POST', '/_sim/jobs', order)).body
    const run = { ...shop, run_id }
    const [pending] = (await actions.getPendingDeploymentsForRun(run)).data
    const review = { environment_ids: [pending?.environment.id ?? 0], comment: '' }
    const reviewed = await actions.reviewPendingDeploymentsForRun({ ...run, ...review, state: 'approved' })
    expect(reviewed.data).toMatchObject([{ environment: 'production' }])
    await expect(actions.deleteWorkflowRun(run)).rejects.toMatchObject({ status: 403 })
    await actions.cancelWorkflowRun(run)
    expect((await actions.getWorkflowRunUsage(run)).data.billable).toEqual({})
    await actions.deleteWorkflowRun(run)
    await expect(actions.listJobsForWorkflowRun(run)).rejects.toMatchObject({ status: 404 })
    expect((await actions.listRepoWorkflows(shop)).data.total_count).toBe(0)
  })

  it('changes the labels of a runner, and finds programs, tokens and hooks', async () => {
    await forge.calls.submit()
    const { id: runner_id } = await forge.calls.mint('r-1')
    const { actions, repos } = octokit.rest
    const runner = { ...shop, runner_id }
    const labels = async () =>
      (await actions.listLabelsForSelfHostedRunnerForRepo(runner)).data.labels.map(({ name }) => name)
    await actions.addCustomLabelsToSelfHostedRunnerForRepo({ ...runner, labels: ['gpu'] })
    expect(await labels()).toEqual(['self-hosted', 'linux', 'gpu'])
    await actions.setCustomLabelsForSelfHostedRunnerForRepo({ ...runner, labels: ['arm'] })
    await actions.removeAllCustomLabelsFromSelfHostedRunnerForRepo(runner)
    expect(await labels()).toEqual(['self-hosted'])
    const made = await actions.createRegistrationTokenForRepo(shop)
    expect(Date.parse(made.data.expires_at)).toBeGreaterThan(clock.now())
    expect((await actions.createRemoveTokenForOrg({ org: 'acme' })).status).toBe(201)
    const { data } = await actions.listRunnerApplicationsForRepo(shop)
    expect(data.map(({ os }) => os)).toContain('linux')
    const config = { ...shop, hook_id: hook, content_type: 'json', insecure_ssl: '0' }
    expect((await repos.updateWebhookConfigForRepo(config)).data.content_type).toBe('json')
  })

  it('works on a GitHub Enterprise Server, with its enterprise', async () => {
    await forge.calls.submit()
    const server = new Octokit({ baseUrl: `${forge.server.url}/api/v3`, auth: token, log: quiet })
    const mine = await server.paginate(server.rest.repos.listForAuthenticatedUser, { per_page: 1 })
    expect(mine.map(({ full_name }) => full_name)).toEqual(['acme/shop'])
    expect((await server.rest.orgs.get({ org: 'acme' })).data.login).toBe('acme')
    const path = '/enterprises/{enterprise}/actions/runners'
    const enterprise = 'simulated'
    const order = { enterprise, name: 'r-1', runner_group_id: 1, labels: ['linux'] }
    expect((await server.request(`POST ${path}/generate-jitconfig`, order)).status).toBe(201)
    const { data } = await server.request(`GET ${path}`, { enterprise })
    expect(data.runners[0].name).toBe('r-1')
  })

  it('gets a 304 for what it knows, and the budget for nothing', async () => {
    await forge.calls.submit()
    const { headers } = await octokit.rest.repos.get(shop)
    const again = octokit.rest.repos.get({ ...shop, headers: { 'if-none-match': String(headers.etag) } })
    await expect(again).rejects.toMatchObject({ status: 304 })
    const { data } = await octokit.rest.rateLimit.get()
    expect(data.rate).toMatchObject({ limit: Number(headers['x-ratelimit-limit']), used: 1 })
  })

  it('learns when its budget is spent, and until when', async () => {
    await forge.calls.submit()
    await forge.calls.send('POST', '/_sim/rate-limit', { remaining: 0 })
    const error = await octokit.rest.repos.get(shop).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      status: 403,
      message: expect.stringContaining('API rate limit exceeded'),
      response: { headers: { 'x-ratelimit-remaining': '0' } },
    })
  })

  it("sends a repository's message again", async () => {
    const receiver = untilTestEnds(await startReceiver(500))
    forge.server.sendWebhooksTo(receiver.url)
    await forge.calls.submit()
    await receiver.count(1)
    const list = () => octokit.rest.repos.listWebhookDeliveries({ ...shop, hook_id: hook })
    await expect.poll(async () => (await list()).data.length).toBe(1)
    const [failed] = (await list()).data
    expect(failed).toMatchObject({ status_code: 500, event: 'workflow_job', redelivery: false })
    const delivery_id = failed?.id as number
    await octokit.rest.repos.redeliverWebhookDelivery({ ...shop, hook_id: hook, delivery_id })
    await receiver.count(2)
    expect(receiver.received[1]?.headers['x-github-delivery']).toBe(failed?.guid)
    await expect.poll(async () => (await list()).data[0]?.redelivery).toBe(true)
  })
})

describe("octokit's stock App authentication", () => {
  const auth = { appId, privateKey, installationId: installation }

  it('proves the App, gets a token for the installation, and calls with it', async () => {
    const asApp = new Octokit({ baseUrl: forge.server.url, authStrategy: createAppAuth, auth, log: quiet })
    await forge.calls.submit()
    expect((await asApp.rest.apps.getAuthenticated()).data).toMatchObject({ id: appId })
    const repositories = await asApp.rest.apps.listReposAccessibleToInstallation()
    expect(repositories.data.total_count).toBe(1)
    const tokens = watch.calls.filter(({ path }) => path.endsWith('/access_tokens'))
    expect(tokens.map(({ status }) => status)).toEqual([201])
    const list = async () => (await asApp.rest.apps.listWebhookDeliveries()).data
    await expect.poll(list).toMatchObject([{ event: 'workflow_job', action: 'queued', status_code: 0 }])
  })

  it('finds the installation of a repository, and sees with its token that account alone', async () => {
    await forge.calls.submit()
    await forge.calls.submit({ repository: 'other/tools' })
    for (const account of ['acme', 'other']) {
      await forge.calls.send('POST', '/_sim/installations', { account })
    }
    const asApp = new Octokit({
      baseUrl: forge.server.url,
      authStrategy: createAppAuth,
      log: quiet,
      auth: { appId, privateKey },
    })
    const { data } = await asApp.rest.apps.getRepoInstallation(shop)
    expect((await asApp.rest.apps.getOrgInstallation({ org: 'acme' })).data.id).toBe(data.id)
    expect((await asApp.rest.apps.getWebhookConfigForApp()).data.content_type).toBe('json')
    const asInstallation = new Octokit({
      baseUrl: forge.server.url,
      authStrategy: createAppAuth,
      log: quiet,
      auth: { appId, privateKey, installationId: data.id },
    })
    const seen = await asInstallation.paginate(asInstallation.rest.apps.listReposAccessibleToInstallation)
    expect(seen.map(({ full_name }) => full_name)).toEqual(['acme/shop'])
    const foreign = asInstallation.rest.repos.get({ owner: 'other', repo: 'tools' })
    await expect(foreign).rejects.toMatchObject({ status: 404 })
  })

  it('is refused with the key of another', async () => {
    const { privateKey: other } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = other.export({ type: 'pkcs8', format: 'pem' }).toString()
    const stranger = new Octokit({
      baseUrl: forge.server.url,
      authStrategy: createAppAuth,
      log: quiet,
      auth: { ...auth, privateKey: pem },
    })
    await expect(stranger.rest.apps.getAuthenticated()).rejects.toMatchObject({ status: 401 })
  })
})
