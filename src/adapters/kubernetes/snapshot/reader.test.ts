import { describe, expect, it } from 'vitest'
import { type ClusterFacts, isWhole, type Listing } from '../../../domain/snapshot/index.ts'
import { hurriedClock } from '../client/testing/bench.ts'
import { arcPath, ground, hash, podSpec, ran, secretsPath } from './testing/ground.ts'

// Joined at run time, so that no scanner takes it for a real one.
const token = `ghp_${'a1B2c3D4e5F6g7H8'.repeat(2)}a1B2`

function unreadIn(facts: ClusterFacts): string[] {
  return Object.entries<Listing<unknown>>({ ...facts })
    .filter(([key]) => key !== 'nodeProbes')
    .flatMap(([key, { unread }]) => unread.map(({ what, needs }) => `${key}: ${what} (${needs})`))
}

describe('the facts of a cluster', () => {
  it('are read with everything of the fleet, by plain GETs alone, and their cost is counted', async () => {
    const { api, read } = await ground()
    const { facts, clusterName, clusterVersion, cost } = await read()
    expect({ clusterName, clusterVersion }).toEqual({ clusterName: 'test', clusterVersion: 'v1.34.4' })
    expect(unreadIn(facts)).toEqual([])
    expect(facts).toMatchObject({
      scaleSets: { items: [{ name: 'linux', maxRunners: 4 }] },
      listeners: { items: [{ namespace: 'arc-systems', scaleSet: { name: 'linux' } }] },
      runnerSets: { items: [{ replicas: 1, scaleSet: { name: 'linux' } }] },
      runners: { items: [{ phase: 'Running', job: null }] },
      nodes: { items: [{ allocatable: { cpu: 4 } }] },
      nodeUsage: {
        source: 'kubelet',
        items: [
          {
            node: 'node-1',
            nodefs: { inodesFree: 5 },
            imagefs: { availableBytes: 20, inodes: null },
            processesMax: 32_768,
            pods: [{ ephemeralBytes: 7, memoryWorkingSetBytes: 8 }],
          },
        ],
      },
      nodeSettings: {
        items: [{ maxPods: 110, evictionHard: { 'nodefs.available': '10%' }, imageGcHighPercent: 85 }],
      },
      events: { items: [{ reason: 'FailedScheduling', count: 3 }] },
      quotas: { items: [{ hard: { pods: 10 }, used: { pods: 2 }, isScoped: false }] },
      services: { items: [{ name: 'attic', ports: [8080], readyAddresses: 1 }] },
      logs: {
        items: [{ role: 'listener', lines: ['one', expect.not.stringContaining('abcdefghijk'), 'last'] }],
      },
      secrets: { items: [{ keys: [{ name: 'github_token', hash: hash(Buffer.from('swordfish')) }] }, {}] },
    })
    expect(facts.pods.items).toHaveLength(3)
    expect(cost).toMatchObject({ requests: api.requests.length, bytes: expect.any(Number) })
    expect(cost.bytes).toBeGreaterThan(1_000)
    expect(new Set(api.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('hold no value of a Secret, no configuration of a runner and no credential of a kubelet', async () => {
    const { read, put } = await ground()
    put(arcPath('ephemeralrunners'), 'r-2', 'arc-runners', {
      status: {
        phase: 'Failed',
        reason: 'InvalidPod',
        message: `no: ${token}`,
        runnerJITConfig: 'the-jit-of-it',
      },
    })
    put('/api/v1/pods', 'p-2', 'arc-runners', {
      metadata: { labels: { note: token }, annotations: { 'actions.github.com/note': token } },
      spec: { containers: [{ name: 'runner', image: 'i', env: [{ name: 'PASSWORD', value: 'swordfish' }] }] },
      status: { message: `password=${token}` },
    })
    put('/api/v1/events', 'e-2', 'ci', { message: `Authorization: Bearer ${token}`, involvedObject: {} })
    put('/apis/apps/v1/deployments', 'd', 'ci', {
      spec: {
        template: {
          spec: { containers: [{ name: 'm', args: ['--token', 'swordfish', '--update-strategy=eventual'] }] },
        },
      },
    })
    const { facts } = await read()
    const everything = JSON.stringify(facts)
    for (const secret of [token, 'swordfish', btoa('swordfish'), 'the-jit-of-it', 'abcdefghijklmnop']) {
      expect(everything).not.toContain(secret)
    }
    expect(facts.deployments.items[0]?.args).toEqual(['--update-strategy=eventual'])
  })

  it('ask for Secrets only where runners and their programs stand, and for no large ones', async () => {
    const { api, read } = await ground()
    await read()
    const asked = api.requests.filter(({ path }) => path.endsWith('/secrets'))
    expect(asked.map(({ path }) => path)).toEqual([secretsPath('arc-runners'), secretsPath('arc-systems')])
    expect(asked[0]?.query.get('fieldSelector')).toContain('type!=helm.sh/release.v1')
  })

  it('of ten thousand pods are listed in bounded pages, and progress is shown', async () => {
    const { api, put, read } = await ground()
    for (let index = 0; index < 10_000; index += 1) {
      put('/api/v1/pods', `p-${index}`, 'ci', { spec: podSpec, status: ran('runner') })
    }
    const seen: string[] = []
    const { facts, cost } = await read({}, { onProgress: (text) => seen.push(text) })
    expect(facts.pods.items).toHaveLength(10_003)
    expect(isWhole(facts.pods)).toBe(true)
    const pages = api.requests.filter(({ path }) => path === '/api/v1/pods')
    expect(pages.length).toBeLessThanOrEqual(30)
    expect(Math.max(...pages.map(({ query }) => Number(query.get('limit'))))).toBeLessThanOrEqual(500)
    expect(cost.requests).toBe(api.requests.length)
    expect(seen).toContain('pods: 10,003 read')
  })
})

describe('a right that is missing', () => {
  it.each([
    ['pods', /^\/api\/v1\/pods$/, 'list pods'],
    ['nodes', /^\/api\/v1\/nodes$/, 'list nodes'],
    ['events', /\/events$/, 'list events'],
    ['quotas', /\/resourcequotas$/, 'list resourcequotas'],
    ['limitRanges', /\/limitranges$/, 'list limitranges'],
    ['claims', /\/persistentvolumeclaims$/, 'list persistentvolumeclaims'],
    ['storageClasses', /\/storageclasses$/, 'list storageclasses.storage.k8s.io'],
    ['storageCapacity', /\/csistoragecapacities$/, 'list csistoragecapacities.storage.k8s.io'],
    ['autoscalers', /\/horizontalpodautoscalers$/, 'list horizontalpodautoscalers.autoscaling'],
    ['namespaces', /^\/api\/v1\/namespaces$/, 'list namespaces'],
    ['cronJobs', /\/cronjobs$/, 'list cronjobs.batch'],
    ['priorityClasses', /\/priorityclasses$/, 'list priorityclasses.scheduling.k8s.io'],
    ['deployments', /\/deployments$/, 'list deployments.apps'],
    ['services', /\/services$/, 'list services'],
    ['services', /\/endpointslices$/, 'list endpointslices.discovery.k8s.io'],
    ['machines', /\/machines$/, 'list machines.cluster.x-k8s.io'],
    ['scaleSets', /\/autoscalingrunnersets$/, 'list autoscalingrunnersets.actions.github.com'],
    ['listeners', /\/autoscalinglisteners$/, 'list autoscalinglisteners.actions.github.com'],
    ['runnerSets', /\/ephemeralrunnersets$/, 'list ephemeralrunnersets.actions.github.com'],
    ['runners', /\/ephemeralrunners$/, 'list ephemeralrunners.actions.github.com'],
    ['secrets', /arc-systems\/secrets$/, 'list secrets in arc-systems'],
    ['nodeUsage', /\/proxy\/stats\/summary$/, 'get nodes/proxy'],
    ['nodeSettings', /\/proxy\/configz$/, 'get nodes/proxy'],
    ['logs', /\/log$/, 'get pods/log'],
  ] as const)('leaves %s unread, names it, and costs nothing else', async (key, path, right) => {
    const { read, refuse } = await ground()
    refuse(path)
    const { facts } = await read()
    expect(facts[key].unread).toMatchObject([
      { needs: right, why: expect.stringContaining('may not be read') },
    ])
    // Facts that are read with the help of others are unread together with them.
    const withHelp: Record<string, readonly string[]> = {
      pods: ['logs', 'runnerLogs'],
      nodes: ['nodeUsage', 'nodeSettings'],
      scaleSets: ['secrets'],
    }
    const unread = Object.keys(facts).filter((each) => !isWhole(facts[each as keyof ClusterFacts]))
    expect(unread.sort()).toEqual([key, 'nodeProbes', ...(withHelp[key] ?? [])].sort())
  })

  it('to all of it leaves everything unread, and is no failure', async () => {
    const { read, refuse } = await ground()
    refuse(/^\/api(s)?\//)
    const { facts, clusterVersion } = await read()
    expect(clusterVersion).toBe('v1.34.4')
    expect(Object.values(facts).filter(isWhole)).toEqual([])
  })

  it('to endpoints leaves addresses unknown, not zero', async () => {
    const { read, refuse } = await ground()
    refuse(/\/endpointslices$/)
    expect((await read()).facts.services.items[0]?.readyAddresses).toBeNull()
  })
})

describe('a cluster without ARC or Cluster API', () => {
  it('has none of their objects, and that is known', async () => {
    const { read, refuse } = await ground()
    refuse(/^\/apis\/(actions\.github\.com|cluster\.x-k8s\.io)\//, 404, 'NotFound')
    const { facts } = await read()
    expect(facts.scaleSets).toMatchObject({ items: [], unread: [] })
    expect(facts.machines).toMatchObject({ items: [], unread: [] })
  })

  it('is asked for Machines in the older version where it does not serve the newest', async () => {
    const { put, read, refuse } = await ground()
    refuse(/\/v1beta2\/machines$/, 404, 'NotFound')
    put('/apis/cluster.x-k8s.io/v1beta1/machines', 'm-1', 'capi', { status: { phase: 'Provisioning' } })
    expect((await read()).facts.machines.items).toMatchObject([{ name: 'm-1', phase: 'Provisioning' }])
  })

  it('that does not serve a kind of Kubernetes itself is unread there', async () => {
    const { read, refuse } = await ground()
    refuse(/\/horizontalpodautoscalers$/, 404, 'NotFound')
    expect(isWhole((await read()).facts.autoscalers)).toBe(false)
  })
})

describe('a cluster in trouble', () => {
  it('that stops in the middle of a list gives what it gave, and the rest is unread', async () => {
    const { api, put, read } = await ground()
    for (let index = 0; index < 300; index += 1) put('/api/v1/pods', `p-${index}`, 'ci', { spec: podSpec })
    api.faults.unshift(({ path, query }, response) => {
      if (path !== '/api/v1/pods' || !query.has('continue')) return true
      response.destroy()
      return undefined
    })
    const { facts } = await read()
    expect(facts.pods.items).toHaveLength(100)
    expect(facts.pods.unread).toMatchObject([{ what: 'pods after the first 100', needs: null }])
    expect(isWhole(facts.nodes)).toBe(true)
  })

  it('that is gone when namespaces are asked one by one is asked about two of them, and not about the rest', async () => {
    const { answer, api, put, read } = await ground({ clock: hurriedClock(100) })
    for (let index = 0; index < 20; index += 1)
      put(arcPath('autoscalingrunnersets'), `set-${index}`, `team-${index}`, { spec: {} })
    answer(/\/secrets$/, (_, response) => void response.destroy())
    const { facts } = await read()
    const asked = new Set(api.requests.map(({ path }) => path).filter((path) => path.endsWith('/secrets')))
    expect(asked.size).toBe(2)
    expect(facts.secrets.unread.length).toBeGreaterThan(20)
    expect(facts.secrets.unread.at(-1)?.why).toContain('no answer about the ones before')
    expect(isWhole(facts.pods)).toBe(true)
  })

  it('that does not answer for one kind gives all others', async () => {
    const { answer, read } = await ground({ clock: hurriedClock(100) })
    answer(/^\/api\/v1\/pods$/, () => {})
    const { facts } = await read()
    expect(facts.pods.unread[0]?.why).toMatch(/no answer within 60000 ms/)
    expect(facts.scaleSets.items).toHaveLength(1)
    expect(isWhole(facts.quotas)).toBe(true)
  })

  it('with many kubelets that do not answer holds up nobody for longer than a reading may take', async () => {
    const { answer, api, put, read } = await ground({ clock: hurriedClock(100) })
    for (let index = 0; index < 200; index += 1) put('/api/v1/nodes', `silent-${index}`, '')
    answer(/\/nodes\/silent-\d+\/proxy\//, () => {})
    const { facts } = await read()
    // Eight at once for ten seconds each: most of the 402 are never asked for.
    expect(api.requests.filter(({ path }) => path.includes('/proxy/')).length).toBeLessThan(150)
    expect(facts.nodes.items).toHaveLength(201)
    expect(facts.nodeUsage.unread.at(-1)?.what).toMatch(/^statistics of nodes: \d+ more$/)
  })

  it('whose kubelet does not answer says so of this node alone', async () => {
    const { answer, put, read } = await ground()
    put('/api/v1/nodes', 'node-2', '')
    answer(/\/nodes\/node-2\/proxy\//, () => {})
    const { facts } = await read()
    expect(facts.nodeUsage.items.map(({ node }) => node)).toEqual(['node-1'])
    expect(facts.nodeUsage.unread).toMatchObject([{ what: 'statistics of node-2', needs: null }])
  })

  it('that gives no answer at all is an error', async () => {
    const { read, refuse } = await ground()
    refuse(/./, 503, 'ServiceUnavailable')
    await expect(read()).rejects.toMatchObject({ code: 'E_CLUSTER_UNREACHABLE' })
  })

  it('is left when the caller leaves', async () => {
    const { answer, read } = await ground()
    const stop = new AbortController()
    answer(/^\/api\/v1\/pods$/, () => stop.abort(new Error('enough')))
    await expect(read({}, {}, stop.signal)).rejects.toThrow('enough')
  })

  it('with objects that are none reads the others, and names these', async () => {
    const { answerJson, put, read } = await ground()
    put(arcPath('ephemeralrunners'), 'bad', 'arc-runners', { status: { failures: 'many' } })
    answerJson(/^\/api\/v1\/events$/, {
      metadata: { resourceVersion: '1' },
      items: [null, 7, {}, { involvedObject: [] }],
    })
    answerJson(/\/proxy\/stats\/summary$/, { node: { fs: 'full' } })
    const { facts } = await read()
    expect(facts.runners.items).toHaveLength(1)
    expect(facts.runners.unread).toMatchObject([{ what: 'ephemeralrunners: arc-runners/bad' }])
    expect(facts.events.unread).toHaveLength(3)
    expect(facts.nodeUsage.unread).toMatchObject([{ why: 'node.fs is other text, expected an object' }])
  })

  it('whose list does not end is read up to a bound', async () => {
    const { answer, read } = await ground()
    let pages = 0
    answer(/^\/api\/v1\/events$/, (request, response) => {
      pages += 1
      const items = Array.from({ length: Number(request.query.get('limit')) }, () => 7)
      response.end(JSON.stringify({ metadata: { resourceVersion: '1', continue: `page-${pages}` }, items }))
    })
    const { unread } = (await read()).facts.events
    expect(pages).toBeLessThan(50)
    expect(unread.some(({ needs }) => needs === 'a narrower scope')).toBe(true)
  })

  it('with more listeners than logs are read of says how many are not', async () => {
    const { put, read } = await ground()
    for (let index = 0; index < 260; index += 1) {
      const labels = { 'app.kubernetes.io/component': 'runner-scale-set-listener' }
      put('/api/v1/pods', `l-${index}`, 'arc-systems', {
        metadata: { labels },
        spec: podSpec,
        status: ran('l'),
      })
    }
    const { logs } = (await read()).facts
    expect(logs.items).toHaveLength(250)
    expect(logs.unread).toMatchObject([
      { what: expect.stringMatching(/^11 more logs, /), needs: 'a narrower scope' },
    ])
  })

  it('with more failed runners than logs are read of reads the newest, and says how many are not', async () => {
    const { put, read } = await ground()
    for (let index = 0; index < 60; index += 1) {
      const finishedAt = new Date(Date.parse('2026-06-01T02:00:00Z') + index * 1_000).toISOString()
      putRunner(put, `r-${index}`, 'Failed', { terminated: { exitCode: 1, finishedAt } })
    }
    const { logs, runnerLogs } = (await read()).facts
    expect(runnerLogs.items).toHaveLength(50)
    expect(runnerLogs.items.map(({ pod }) => pod.name)).toContain('r-59')
    expect(runnerLogs.unread).toMatchObject([
      { what: '10 more logs of runners that ended, arc-runners/r-9 first', needs: 'a narrower scope' },
    ])
    expect(logs.unread).toEqual([])
  })

  it('with thousands of them counts most of them', async () => {
    const { answerJson, read } = await ground()
    const items = Array.from({ length: 5_000 }, () => 7)
    answerJson(/^\/api\/v1\/events$/, { metadata: { resourceVersion: '1' }, items })
    const { unread } = (await read()).facts.events
    expect(unread).toHaveLength(51)
    expect(unread.at(-1)?.what).toBe('events: 4950 more')
  })
})

describe('a narrowed reading', () => {
  it('by namespace lists there, and where the listeners of its sets stand', async () => {
    const { api, put, read } = await ground()
    for (const [plural, name, namespace] of [
      ['autoscalingrunnersets', 'linux', 'arc-runners'],
      ['ephemeralrunners', 'r-1', 'arc-runners'],
    ] as const) {
      put(`/apis/actions.github.com/v1alpha1/namespaces/${namespace}/${plural}`, name, namespace, {
        spec: { template: {} },
      })
    }
    put('/api/v1/namespaces/arc-systems/pods', 'linux-listener', 'arc-systems', { spec: podSpec })
    const { facts } = await read({ namespaces: ['arc-runners'] })
    expect(facts.scaleSets.items).toHaveLength(1)
    expect(facts.listeners.items).toHaveLength(1)
    expect(facts.pods.items.map(({ name }) => name)).toEqual(['linux-listener'])
    expect(unreadIn(facts)).toEqual([])
    const paths = api.requests.map(({ path }) => path)
    expect(paths).not.toContain('/api/v1/pods')
    expect(paths).toContain('/api/v1/nodes')
  })

  it('by namespace without the right to see all listeners sees those there, and that there may be others', async () => {
    const { put, read, refuse } = await ground()
    refuse(/v1alpha1\/autoscalinglisteners$/)
    put('/apis/actions.github.com/v1alpha1/namespaces/arc-systems/autoscalinglisteners', 'l', 'arc-systems', {
      spec: {
        autoscalingRunnerSetName: 'linux',
        autoscalingRunnerSetNamespace: 'arc-runners',
        ephemeralRunnerSetName: 'linux-a',
      },
    })
    const { facts } = await read({ namespaces: ['arc-runners', 'arc-systems'] })
    expect(facts.listeners.items).toHaveLength(1)
    expect(facts.listeners.unread).toMatchObject([{ needs: 'list autoscalinglisteners.actions.github.com' }])
  })

  it('by label keeps the sets that have it, all that belongs to them, and pods that belong to none', async () => {
    const { put, read } = await ground()
    put(arcPath('autoscalingrunnersets'), 'gpu', 'arc-runners', { spec: { runnerScaleSetLabels: ['big'] } })
    const kept = await read({ labels: ['big'] })
    expect(kept.facts.scaleSets.items.map(({ name }) => name)).toEqual(['gpu'])
    expect(kept.facts.runners.items).toEqual([])
    expect(kept.facts.listeners.items).toEqual([])
    expect(kept.facts.pods.items.map(({ name }) => name)).toEqual(['web-1'])
    const other = await read({ labels: ['linux'] })
    expect(other.facts.runners.items).toHaveLength(1)
    expect(other.facts.pods.items).toHaveLength(3)
  })

  it('by label, where sets could not be read, takes nothing for absent', async () => {
    const { read, refuse } = await ground()
    refuse(/\/autoscalingrunnersets$/)
    const { facts } = await read({ labels: ['linux'] })
    for (const key of ['listeners', 'runnerSets', 'runners', 'pods'] as const) {
      expect(isWhole(facts[key])).toBe(false)
    }
  })

  it('by node asks only its kubelet, and still lists all nodes and pods', async () => {
    const { api, put, read } = await ground()
    put('/api/v1/nodes', 'node-2', '')
    const { facts } = await read({ nodes: ['node-2'] })
    expect(facts.nodes.items).toHaveLength(2)
    expect(facts.pods.items).toHaveLength(3)
    const asked = api.requests.map(({ path }) => path).filter((path) => path.includes('/proxy/'))
    expect(asked.sort()).toEqual([
      '/api/v1/nodes/node-2/proxy/configz',
      '/api/v1/nodes/node-2/proxy/stats/summary',
    ])
  })
})

describe('logs of runners', () => {
  it('are read of those that failed or ended, masked, failed ones first, and of no other', async () => {
    const { put, read, api } = await ground()
    putRunner(put, 'done', 'Succeeded', { terminated: { exitCode: 0, finishedAt: '2026-06-01T02:50:00Z' } })
    putRunner(put, 'failed', 'Failed', { terminated: { exitCode: 137, finishedAt: '2026-06-01T02:00:00Z' } })
    putRunner(put, 'working', 'Running', { running: { startedAt: '2026-06-01T02:00:00Z' } })
    putRunner(put, 'pulling', 'Pending', { waiting: { reason: 'ImagePullBackOff' } })
    const { runnerLogs } = (await read()).facts
    expect(runnerLogs).toMatchObject({
      items: [
        {
          pod: { namespace: 'arc-runners', name: 'failed' },
          container: 'runner',
          role: 'runner',
          lines: ['one', expect.not.stringContaining('abcdefghijk'), 'last'],
        },
        { pod: { name: 'done' } },
      ],
      unread: [],
    })
    const asked = api.requests
      .filter(({ path }) => path.endsWith('/log'))
      .map(({ path }) => path.split('/')[6])
    expect(asked.sort()).toEqual(['done', 'failed', 'linux-listener'])
  })

  it('are unread without the right, next to those of listeners', async () => {
    const { put, read, refuse } = await ground()
    putRunner(put, 'failed', 'Failed', { terminated: { exitCode: 1, finishedAt: '2026-06-01T02:00:00Z' } })
    refuse(/\/log$/)
    const { runnerLogs } = (await read()).facts
    expect(runnerLogs).toMatchObject({ items: [], unread: [{ needs: 'get pods/log' }] })
  })

  it('of a node that does not answer cost those of the others nothing, nor those of listeners', async () => {
    const { put, read, refuse } = await ground()
    putRunner(put, 'failed', 'Failed', { terminated: { exitCode: 1, finishedAt: '2026-06-01T02:00:00Z' } })
    putRunner(put, 'lost', 'Failed', { terminated: { exitCode: 1, finishedAt: '2026-06-01T02:00:00Z' } })
    refuse(/\/lost\/log$/, 500, 'InternalError')
    const { runnerLogs, logs } = (await read()).facts
    expect(runnerLogs.items).toMatchObject([{ pod: { name: 'failed' } }])
    expect(runnerLogs.unread).toMatchObject([{ what: 'log of runner in arc-runners/lost' }])
    expect(logs.unread).toEqual([])
  })
})

type Put = Awaited<ReturnType<typeof ground>>['put']

function putRunner(put: Put, name: string, phase: string, state: object): void {
  const owner = { apiVersion: 'actions.github.com/v1alpha1', kind: 'EphemeralRunner', name, uid: name }
  put('/api/v1/pods', name, 'arc-runners', {
    metadata: { ownerReferences: [{ ...owner, controller: true }] },
    spec: podSpec,
    status: { phase, containerStatuses: [{ name: 'runner', ready: false, restartCount: 0, state }] },
  })
}
