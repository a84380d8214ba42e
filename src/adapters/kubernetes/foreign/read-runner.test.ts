import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../../../domain/death/index.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { stamped } from '../client/testing/stamped.ts'
import { events, never, nodesPath, pods, readyNode } from '../host/testing/ground.ts'
import { at, type PodWords, rawPod, running, terminated, waiting } from '../host/testing/pod.ts'
import { readForeignRunner } from './read-runner.ts'

const runners = '/apis/actions.github.com/v1alpha1/namespaces/ci/ephemeralrunners'
const namePattern = 'my-set-x7k2p-runner-9wq4d'

/** A cluster with a runner of ARC: nothing in it is ours. */
async function arc(words: PodWords | null, runnerStatus?: object) {
  const { api, cluster, clock } = await bench()
  api.truth.put(nodesPath, 'node-1', readyNode)
  if (words !== null) {
    const metadata = {
      labels: { 'actions-ephemeral-runner': 'True' },
      finalizers: [],
      annotations: {},
      ...words.metadata,
    }
    const { metadata: made, ...rest } = rawPod({
      shape: 'single',
      ...words,
      name: namePattern,
      metadata,
    }) as {
      metadata: object
    }
    api.truth.put(pods, namePattern, { metadata: made, ...rest })
  }
  if (runnerStatus !== undefined)
    api.truth.put(runners, namePattern, { metadata: { namespace: 'ci' }, status: runnerStatus })
  api.faults.push(({ path }, response) => {
    if (!path.endsWith('/log')) return true
    response.end(stamped('one\nAuthorization: Bearer abcdefghijklmnop\nlast words\n'))
    return undefined
  })
  const read = () => readForeignRunner({ namespace: 'ci', pod: namePattern }, { cluster, clock }, never)
  const deny = (part: string) =>
    api.faults.unshift(({ path }, response) => {
      if (!path.includes(part)) return true
      status(response, 403, 'Forbidden', `${part} may not be read`)
      return undefined
    })
  return { api, read, deny }
}

const failed = { phase: 'Failed' }
const oom = terminated(137, { reason: 'OOMKilled' })
const job = {
  phase: 'Running',
  runnerJITConfig: 'the-jit-of-it',
  jobRepositoryName: 'acme/web',
  jobDisplayName: 'build',
  workflowRunId: 31,
}

describe('a runner of ARC', () => {
  it('is read from its owner, its pod, its node and its log, by plain GETs alone', async () => {
    const { api, read } = await arc({ runner: oom, status: failed }, job)
    api.truth.put(events, 'e-1', {
      metadata: { namespace: 'ci' },
      type: 'Warning',
      reason: 'Evicted',
      message: 'said',
      count: 2,
      involvedObject: { kind: 'Pod', name: namePattern, uid: `uid-of-${namePattern}` },
      firstTimestamp: at(30),
      lastTimestamp: at(20),
    })
    const found = await read()
    expect(found).toMatchObject({
      namespace: 'ci',
      pod: namePattern,
      state: 'ended',
      missing: [],
      owner: {
        kind: 'EphemeralRunner',
        phase: 'Running',
        job: { repository: 'acme/web', name: 'build', runId: 31 },
      },
      ending: {
        exitCode: 137,
        stopRequestedBy: null,
        missing: [],
        pod: {
          place: { namespace: 'ci', pod: namePattern, node: 'node-1' },
          events: [{ reason: 'Evicted', count: 2 }],
          nodeAtEnd: { isGone: false, conditions: [{ type: 'Ready', status: 'True' }] },
        },
      },
    })
    expect(found.ending?.tail).toContain('last words')
    expect(JSON.stringify(found)).not.toMatch(/abcdefghijklmnop|the-jit-of-it/)
    expect(classifyDeath(found.ending)).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    expect(new Set(api.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('is read from its pod alone where the cluster does not know ARC', async () => {
    const { api, read } = await arc({ runner: terminated(3), status: failed })
    api.faults.unshift(({ path }, response) => {
      if (!path.includes('ephemeralrunners')) return true
      status(response, 404, 'NotFound', 'the server could not find the requested resource')
      return undefined
    })
    expect(await read()).toMatchObject({ state: 'ended', owner: null, ending: { exitCode: 3, missing: [] } })
  })

  it('is read as far as the rights allow, and each missing right is named', async () => {
    const { read, deny } = await arc({ runner: oom, status: failed }, job)
    for (const part of ['/nodes/', '/events', '/ephemeralrunners', '/log']) deny(part)
    const { ending, owner } = await read()
    expect(owner).toBeNull()
    expect(ending?.pod?.nodeAtEnd).toBeNull()
    const missing = ending?.missing.join('\n')
    for (const part of [
      'its node node-1',
      'its events',
      'its EphemeralRunner',
      'the output of its container',
    ])
      expect(missing).toContain(part)
  })

  it('has not ended while it runs, and is lost with a silent node', async () => {
    const { api, read } = await arc({ runner: running(), status: { phase: 'Running' } })
    expect(await read()).toMatchObject({ state: 'running', ending: { exitCode: null } })
    api.truth.put(nodesPath, 'node-1', {
      status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: at(300) }] },
    })
    const { state, ending } = await read()
    expect(state).toBe('ended')
    expect(classifyDeath(ending).class).toBe('node-lost')
    expect(ending?.missing.join()).toContain('out of reach')
  })

  it('was deleted where its kubelet stopped it before its end, although its time of deletion is later', async () => {
    const metadata = {
      deletionTimestamp: at(1),
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.com/held'],
    }
    const stopped = terminated(143, { finishedAt: at(10) })
    const { api, read } = await arc({ runner: stopped, status: failed, metadata })
    expect(classifyDeath((await read()).ending).class).toBe('terminated')
    api.truth.put(events, 'e-1', {
      metadata: { namespace: 'ci' },
      type: 'Normal',
      reason: 'Killing',
      message: 'Stopping container runner',
      involvedObject: { kind: 'Pod', name: namePattern, uid: `uid-of-${namePattern}` },
      firstTimestamp: at(11),
    })
    const { ending } = await read()
    expect(ending?.pod?.deletedAt).toBe(Date.parse(at(11)))
    expect(classifyDeath(ending)).toMatchObject({ class: 'deleted', confidence: 'likely' })
  })

  it('says why it does not get going', async () => {
    const { read } = await arc({ runner: waiting('ImagePullBackOff', 'no such image') })
    expect(await read()).toMatchObject({
      state: 'running',
      ending: { pod: { trouble: { kind: 'ImagePull' } } },
    })
  })

  it('without its pod is read from the status of its owner and from the events of its pods', async () => {
    const { api, read } = await arc(null, {
      phase: 'Failed',
      reason: 'TooManyPodFailures',
      message: 'Pod has failed to start more than 5 times',
      failures: { 'uid-2': at(10), 'uid-1': at(20) },
    })
    api.truth.put(events, 'e-1', {
      metadata: { namespace: 'ci' },
      type: 'Warning',
      reason: 'Failed',
      message: 'said',
      involvedObject: { kind: 'Pod', name: namePattern, uid: 'uid-2' },
      lastTimestamp: at(10),
    })
    const found = await read()
    expect(found).toMatchObject({
      state: 'gone',
      ending: null,
      events: [{ reason: 'Failed' }],
      owner: {
        reason: 'TooManyPodFailures',
        job: null,
        failures: [{ podUid: 'uid-1' }, { podUid: 'uid-2' }],
      },
    })
    const asked = api.requests.find(({ path }) => path === events)
    expect(asked?.query.get('fieldSelector')).toBe(
      `involvedObject.kind=Pod,involvedObject.name=${namePattern}`,
    )
  })

  it('counts failures that an older ARC noted without a time', async () => {
    const { read } = await arc(null, { phase: 'Failed', failures: { 'uid-1': true } })
    expect((await read()).owner?.failures).toEqual([{ podUid: 'uid-1', at: null }])
  })

  it('with nothing left but events is read from them', async () => {
    const { api, read } = await arc(null)
    api.truth.put(events, 'e-1', {
      metadata: { namespace: 'ci' },
      type: 'Normal',
      reason: 'Killing',
      message: 'Stopping container runner',
      involvedObject: { kind: 'Pod', name: namePattern, uid: 'uid-1' },
      lastTimestamp: at(10),
    })
    expect(await read()).toMatchObject({ state: 'gone', owner: null, events: [{ reason: 'Killing' }] })
  })

  it('without a pod and without rights to read more is unknown, and names what was not read', async () => {
    const { read, deny } = await arc(null)
    for (const part of ['/events', '/ephemeralrunners']) deny(part)
    await expect(read()).rejects.toMatchObject({
      code: 'E_SUBJECT_UNKNOWN',
      message: expect.stringMatching(/not read: its EphemeralRunner(?:.|\n)*not read: events about it/),
    })
  })

  it('with nothing left in the cluster is unknown, and the error lists what was looked for', async () => {
    const { read } = await arc(null)
    await expect(read()).rejects.toMatchObject({
      code: 'E_SUBJECT_UNKNOWN',
      message: expect.stringContaining(`the EphemeralRunner ci/${namePattern}`),
    })
  })

  it('is not called gone where the pod may not be read', async () => {
    const { read, deny } = await arc({ runner: oom, status: failed }, job)
    deny('/pods/')
    await expect(read()).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })
})
