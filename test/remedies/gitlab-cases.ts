import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { busyboxEntries } from '../cluster/images/index.ts'
import { prepareMachine } from '../cluster/machine/needs.ts'
import type { Bench, Case } from './cases.ts'
import { openGitlab } from './gitlab-stand-in.ts'
import { expectMade, type Json } from './ground.ts'
import { type Ran, start } from './holdfast.ts'

const image = 'holdfast.test/gitlab-runner:1'
const root = '/api/v1/namespaces/gitlab-runner'
const deployments = '/apis/apps/v1/namespaces/gitlab-runner/deployments'
const mergePatch = 'application/merge-patch+json'
const [old, fresh] = ['planted-glrt-old-3d', 'planted-glrt-new-9c']
const startMaxMs = 90_000
/** A manager of GitLab Runner as far as its token goes: it reads it when it starts, and says what GitLab says of it. */
const script = `if [ "$TOKEN" = ${old} ]; then echo 'ERROR: Checking for jobs... forbidden  status=POST: 403 Forbidden'
else echo 'Verifying runner... is valid'; fi; exec sleep 3600`

/** A manager that really runs with a token of before; GitLab and the manager's program are stand-ins. */
export const gitlabCases: Readonly<Record<string, Case>> = {
  async 'a token of GitLab: the manager is restarted once, is online, and no value is shown or stored'(
    bench,
  ) {
    const { run, plan, generation, gitlab } = await stale(bench)
    const { hash, out } = await plan()
    bench.say(out)
    const applied = await run('fix', 'gitlab-token', '--apply', hash)
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.equal(await generation(), 2)
    const shown = out + applied.out + applied.err + (await run('trail', 'list', '--json')).out
    for (const value of [old, fresh]) assert.ok(!shown.includes(value))
    await gitlab[Symbol.asyncDispose]()
  },

  async 'a token of GitLab: a job runs after the plan, and the manager is not touched'(bench) {
    const { run, plan, generation, gitlab } = await stale(bench)
    const { hash } = await plan()
    gitlab.jobs.push({ id: 900 })
    const { code, out } = await run('fix', 'gitlab-token', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /no-running-jobs/)
    assert.equal(await generation(), 1)
    await gitlab[Symbol.asyncDispose]()
  },
}

let folders = 0

async function stale({ ground, folder, say }: Bench) {
  folders += 1
  const dataDir = path.join(folder, `gitlab-${folders}`)
  const { api } = ground.cluster
  const { busybox } = await prepareMachine(say)
  const own = { kind: 'file', path: 'etc/image', content: image } as const
  await ground.cluster.load({
    name: image,
    entries: [...(await busyboxEntries(busybox)), own],
    command: ['/bin/sh'],
  })
  await api.request('DELETE', `${deployments}/manager`, { propagationPolicy: 'Background' })
  await api.request('DELETE', `${root}/secrets/token`)
  await until(async () => (await api.request('GET', `${root}/pods`)).body.items.length === 0)
  await expectMade(api, `${root}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'token', namespace: 'gitlab-runner' },
    stringData: { 'runner-token': old },
  })
  await expectMade(api, deployments, managerOf())
  await until(
    async () => (await api.request('GET', `${deployments}/manager`)).body.status?.availableReplicas === 1,
  )
  // Times of Kubernetes are whole seconds.
  await sleep(2_000)
  await api.request('PATCH', `${root}/secrets/token`, { stringData: { 'runner-token': fresh } }, mergePatch)
  const gitlab = await openGitlab(ground.cluster, fresh)
  const run = (...args: readonly string[]): Promise<Ran> =>
    start(dataDir, gitlab.url, ground.gitlabKubeconfig, ...args).ended
  const plan = async () => {
    const { out, err } = await run('fix', 'gitlab-token', '--deployment', 'gitlab-runner/manager')
    const [, hash] = /--apply ([0-9a-f]{64})/.exec(out) ?? []
    if (hash === undefined) throw new Error(`no plan: ${out}${err}`)
    return { hash, out }
  }
  const generation = async (): Promise<number> =>
    (await api.request('GET', `${deployments}/manager`)).body.metadata.generation
  return { run, plan, generation, gitlab }
}

function managerOf(): Json {
  const labels = { app: 'manager' }
  const token = { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'token', key: 'runner-token' } } }
  const container = {
    name: 'runner',
    image,
    imagePullPolicy: 'Never',
    env: [token],
    command: ['sh', '-c', script],
  }
  const spec = { terminationGracePeriodSeconds: 0, containers: [container] }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'manager', namespace: 'gitlab-runner' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + startMaxMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('the manager of the test is not as wanted')
    await sleep(300)
  }
}
