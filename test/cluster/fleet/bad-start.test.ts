import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { temporaryFolder } from '../../support/temporary.ts'
import type { Api } from '../index.ts'
import { until } from '../machine/until.ts'
import { askAbout } from './ask-about.ts'
import type { Life } from './holdfast.ts'
import { settled } from './settled.ts'
import { declareKind, openWorld, type World } from './world.ts'

const soonMs = 60_000
const kinds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/runnerpools.holdfast.dev'
const quick = { idleTimeoutSeconds: 2 }
/** Long enough that a name that nobody resolves is said to be wrong before the start is given up. */
const hurried = { ...quick, provisioning: { startDeadlineSeconds: 25, unschedulableDeadlineSeconds: 25 } }

describe('a Holdfast that is set up wrongly for its cluster', () => {
  let world: World
  let about: ReturnType<typeof askAbout>
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let lives: Life[] = []
  let refusals = 0
  beforeAll(async () => {
    folder = await temporaryFolder('bad-start-')
    world = await openWorld('badstart', { own: 'it takes the definition of RunnerPools away' })
    about = askAbout(world)
  })
  afterEach(async () => {
    await stopAll()
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await folder?.[Symbol.asyncDispose]()
  })

  const request = (...args: Parameters<Api['request']>) => world.cluster.api.request(...args)

  async function stopAll(): Promise<void> {
    for (const life of lives) life.signal('SIGTERM')
    await Promise.all(lives.map(({ exited }) => exited))
    lives = []
  }

  async function serving(env: Record<string, string> = {}): Promise<void> {
    const life = await world.holdfast({ env })
    lives.push(life)
    await life.serving
  }

  /** The message that a Holdfast which does not start prints. */
  async function refusal(env: Record<string, string>): Promise<string> {
    refusals += 1
    const life = await world.holdfast({ env, byHand: true, name: `refused-${refusals}` })
    lives.push(life)
    const { code } = await life.exited
    expect(code).toBeGreaterThan(2) // neither a success nor a bug
    return life.log()
  }

  it('a poller that cannot be had, and a server that pods do not reach, are shown on the pool', async () => {
    await world.pool('lost', hurried)
    const job = await world.submit('exit 0', 'lost')
    await serving({ HOLDFAST_FLEET_POLLER_IMAGE: 'holdfast.test/no-poller:1' })
    expect((await about.shown('lost', 'ImagePull')).message).toContain('no-poller')
    await stopAll()
    await serving({ HOLDFAST_FLEET_SERVER_URL: 'http://10.240.0.1:9' })
    expect((await about.shown('lost', 'HoldfastUnreachable')).message).toMatch(/fleet\.serverUrl/)
    await stopAll()
    await serving()
    await settled(world, {}, 120_000)
    expect(await about.endOf(job)).toBe('success')
    await about.gone('lost')
  }, 600_000)

  it('a way to the cluster that leads nowhere ends the start with what to do', async () => {
    const file = path.join(folder.path, 'kubeconfig')
    expect(await refusal({ HOLDFAST_FLEET_KUBECONFIG: file })).toMatch(/E_CLUSTER_CONFIG.*got no file/s)
    await writeFile(file, 'clusters: [')
    expect(await refusal({ HOLDFAST_FLEET_KUBECONFIG: file })).toMatch(/E_CLUSTER_CONFIG.*line 1/s)
    const config = parse(await readFile(world.cluster.kubeconfig, 'utf8'))
    config.clusters[0].cluster.server = 'https://127.0.0.1:1'
    await writeFile(file, stringify(config))
    expect(await refusal({ HOLDFAST_FLEET_KUBECONFIG: file })).toMatch(/E_CLUSTER_UNREACHABLE.*ECONNREFUSED/s)
    const nowhere = { HOLDFAST_FLEET_NAMESPACE: 'nowhere' }
    expect(await refusal(nowhere)).toMatch(/E_CLUSTER_RIGHTS.*"nowhere".*does not exist/s)
    const everyRight = { HOLDFAST_FLEET_KUBECONFIG: world.cluster.kubeconfig }
    expect(await refusal({ ...nowhere, ...everyRight })).toMatch(/E_CLUSTER_NAMESPACE_MISSING.*"nowhere"/s)
    await rm(file)
  })

  it('without rights it says which are missing', async () => {
    const accounts = '/api/v1/namespaces/badstart/serviceaccounts'
    await request('POST', accounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'powerless' },
    })
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const { body } = await request('POST', `${accounts}/powerless/token`, asked)
    const config = parse(await readFile(world.cluster.kubeconfig, 'utf8'))
    config.users[0].user = { token: body.status.token }
    const file = path.join(folder.path, 'powerless')
    await writeFile(file, stringify(config))
    const message = await refusal({ HOLDFAST_FLEET_KUBECONFIG: file })
    for (const words of [
      'E_CLUSTER_RIGHTS',
      '"badstart"',
      'create pods',
      'nodes (cluster-wide)',
      'deploy/rbac.yaml',
    ])
      expect(message).toContain(words)
  })

  it('a cluster without the RunnerPool definition is reported, also where the definition is deleted later', async () => {
    await serving()
    await world.pool('before', quick)
    const first = await world.submit('sleep 3', 'before')
    await about.jobRuns()
    await request('DELETE', kinds) // and with it every pool
    await until('the kind is gone', soonMs, async () => (await request('GET', kinds)).status === 404)
    await settled(world)
    expect(await about.endOf(first)).toBe('success')
    await declareKind(world.cluster)
    await world.pool('after', quick)
    const second = await world.submit('exit 0', 'after')
    await settled(world, {}, 120_000)
    expect(await about.endOf(second)).toBe('success')
    await about.gone('after')
    await stopAll()
    await request('DELETE', kinds)
    await until('the kind is gone', soonMs, async () => (await request('GET', kinds)).status === 404)
    expect(await refusal({})).toMatch(/E_CLUSTER_KIND_MISSING.*RunnerPool/s)
    await declareKind(world.cluster)
    await serving()
  })
})
