import { describe, expect, it } from 'vitest'
import { openGround } from '../../../../test/support/remedy-ground.ts'
import { fix } from './index.ts'

const never = new AbortController().signal
const [userToken, runnerToken] = ['planted-user-77ab', 'planted-glrt-5c1e']
const place = { namespace: 'ci', name: 'manager' }
const [deployments, pods, secrets] = [
  '/apis/apps/v1/namespaces/ci/deployments',
  '/api/v1/namespaces/ci/pods',
  '/api/v1/namespaces/ci/secrets',
]
const image = 'gitlab/gitlab-runner:v17'
const refusal = 'Checking for jobs... forbidden'

/** A manager that began before its Secret was written, on a scripted API server, and GitLab. */
async function ground() {
  const gitlab = { jobs: [] as { id: number }[], contactedAt: '2026-11-16T10:00:00Z', status: 'offline' }
  const opened = await openGround('0.14.2/a-healthy-idle', {
    'POST /api/v4/runners/verify': [200, { id: 31 }],
    '/api/v4/runners/31/jobs?status=running': () => [200, gitlab.jobs],
    '/api/v4/runners/31': () => [200, { id: 31, status: gitlab.status, contacted_at: gitlab.contactedAt }],
  })
  const { truth, faults } = opened.api
  let line = refusal
  const labels = { app: 'manager' }
  const spec = {
    containers: [{ name: 'runner', image }],
    volumes: [{ name: 'token', secret: { secretName: 'token' } }],
  }
  const podSince = (startedAt: string) =>
    truth.put(pods, 'manager-1', {
      metadata: { namespace: 'ci', labels },
      spec,
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'runner', image, state: { running: { startedAt } } }],
      },
    })
  const counts = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, observedGeneration: 1 }
  truth.put(deployments, place.name, {
    metadata: { namespace: 'ci', generation: 1 },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { spec } },
    status: counts,
  })
  const data = { 'runner-token': Buffer.from(runnerToken).toString('base64') }
  truth.put(secrets, 'token', { metadata: { namespace: 'ci' }, type: 'Opaque', data })
  podSince('2026-11-16T11:00:00Z')
  faults.push(({ path }, response) => {
    if (!path.endsWith('/log')) return true
    response.end(`2026-11-16T12:30:00Z ${line}\n`)
    return undefined
  })
  // The Deployment's controller makes the pod again, which contacts GitLab.
  truth.onEvent((collection, { type }) => {
    if (collection !== deployments || type !== 'MODIFIED') return
    line = 'Verifying runner... is valid'
    Object.assign(gitlab, { status: 'online', contactedAt: '2026-11-16T13:00:05Z' })
    queueMicrotask(() => podSince('2026-11-16T13:00:00Z'))
  })
  const env = { HOLDFAST_GITLAB_URL: opened.config.forge.url ?? '', HOLDFAST_GITLAB_TOKEN: userToken }
  const scope = { deployment: place, jobNamespaces: ['ci'] }
  const order = { ...opened.order, remedy: 'gitlab-token', scope } as const
  const run = (apply: string | null = null) => fix(opened.configOf(env), { ...order, apply }, never)
  const mark = () => JSON.stringify(truth.get(deployments, place.name)).includes('holdfast.dev/restarted')
  return { ...opened, gitlab, order, run, mark }
}

describe('holdfast fix gitlab-token on a cluster', () => {
  it('restarts the manager, sees it online, and stores no value anywhere', async () => {
    const { run, mark, stored } = await ground()
    const { hash, plan } = await run()
    expect([plan.objects, mark()]).toMatchObject([[{ ...place, runnerId: 31 }], false])
    const report = await run(hash)
    expect([report.state, mark()]).toEqual(['done', true])
    const artefacts = stored() + JSON.stringify([plan, report])
    for (const value of [userToken, runnerToken]) {
      expect(artefacts).not.toContain(value)
      expect(artefacts).not.toContain(Buffer.from(value).toString('base64'))
    }
  })

  it('touches nothing where a job began after the plan', async () => {
    const { run, mark, gitlab } = await ground()
    const { hash } = await run()
    gitlab.jobs.push({ id: 900 })
    expect([(await run(hash)).state, mark()]).toEqual(['aborted', false])
  })

  it('opens nothing without a token of GitLab', async () => {
    const { config, order, api } = await ground()
    const before = api.requests.length
    await expect(async () => fix(config, order, never)).rejects.toMatchObject({ code: 'E_REMEDY_GITLAB' })
    expect(api.requests.length).toBe(before)
  })

  it('nor does fix gitlab-orphans where a GitLab is named', async () => {
    const { config, order, api } = await ground()
    const before = api.requests.length
    const scope = { namespaces: ['ci'], gitlab: 'https://gitlab.example.com' }
    const orphans = fix(config, { ...order, remedy: 'gitlab-orphans', scope }, never)
    await expect(orphans).rejects.toMatchObject({ code: 'E_REMEDY_GITLAB' })
    expect(api.requests.length).toBe(before)
  })
})
