import { describe, expect, it } from 'vitest'
import { status } from '../../client/testing/api-server.ts'
import { stamped } from '../../client/testing/stamped.ts'
import type { PodHostOptions } from '../host.ts'
import { events, hostGround, nodesPath, pods } from '../testing/ground.ts'
import { aPlan } from '../testing/plan.ts'
import { at, leaving, now, running, terminated, waiting } from '../testing/pod.ts'

const name = 'linux-00000001'
const failed = { phase: 'Failed' }
const withSidecar = {
  containers: [
    { name: 'runner', image: 'runner:1' },
    { name: 'dind', image: 'dind:1' },
  ],
}
const lostSight = terminated(137, { reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null })

type Words = Parameters<Awaited<ReturnType<typeof hostGround>>['put']>[0]
/** Of each read of a log in turn; or by container. */
type Texts = unknown[] | Readonly<Record<string, unknown>>

async function ended(words: Words, texts: Texts = [], over: Partial<PodHostOptions> = {}) {
  const ground = await hostGround(over)
  const containers: (string | null)[] = []
  ground.api.faults.push(({ path, query }, response) => {
    if (!path.endsWith('/log')) return true
    const container = query.get('container')
    containers.push(container)
    const text = Array.isArray(texts) ? texts.shift() : texts[container ?? '']
    if (typeof text === 'string') response.end(stamped(text))
    else status(response, Number(text ?? 404), 'Some', 'the log is not there')
    return undefined
  })
  ground.put(words)
  await expect.poll(() => ground.seen(name)).toBeDefined()
  return { ...ground, containers, uid: ground.host.uidOf(name), ending: () => ground.host.ending(name) }
}

describe('the ending of a runner', () => {
  it('has the tail of its output without secrets, read once', async () => {
    const { ending, containers } = await ended({ runner: terminated(1), status: failed }, [
      'password=correct-horse-battery\n',
    ])
    expect((await ending())?.tail).toBe('password=[redacted]\n')
    expect(await ending()).toMatchObject({ exitCode: 1, missing: [] })
    expect(containers).toEqual(['runner'])
  })

  it('has the output of the poller where the runner never ran', async () => {
    const { ending, containers } = await ended({ poller: terminated(7), runner: waiting(), status: failed }, [
      'server not found\n',
    ])
    expect(await ending()).toMatchObject({ tail: 'server not found\n', startedAt: null, missing: [] })
    expect(containers).toEqual(['poller'])
  })

  it('has the output of the check that failed, and the reason why the runner did not start', async () => {
    const check = terminated(127, { message: 'no such program' })
    const words = { check, poller: waiting(), runner: waiting(), status: failed }
    const { ending, containers } = await ended(words, ['no such program\n'])
    expect(await ending()).toMatchObject({
      tail: 'no such program\n',
      startedAt: null,
      missing: [],
      pod: { trouble: { kind: 'ConfigError', message: expect.stringContaining('no such program') } },
    })
    expect(containers).toEqual(['check'])
  })

  it('does not take the output of a check that went well for that of its runner', async () => {
    const status = { ...failed, reason: 'Evicted' }
    const { ending } = await ended({ check: terminated(0), runner: waiting(), status }, ['all is well\n'])
    const check = expect.objectContaining({ name: 'check', tail: 'all is well\n' })
    const containers = expect.arrayContaining([check])
    expect(await ending()).toMatchObject({ tail: '', missing: [], pod: { containers } })
  })

  it('knows how a container ended that was begun again, though its pod says so no more at the end', async () => {
    const { state: lastState = {} } = terminated(137, { reason: 'OOMKilled' })
    const dind = { name: 'dind', ...running(), lastState, restartCount: 1 }
    const runs = {
      spec: withSidecar,
      status: { containerStatuses: [{ name: 'runner', ...running() }, dind] },
    }
    const { put, ending, seen } = await ended(runs)
    const containerStatuses = [
      { name: 'runner', ...terminated(1) },
      { name: 'dind', ...terminated(137), restartCount: 1 },
    ]
    put({ spec: withSidecar, status: { ...failed, containerStatuses } })
    await expect.poll(async () => (await seen(name))?.state).toBe('exited')
    const containers = (await ending())?.pod?.containers ?? []
    expect(containers.find((each) => each.name === 'dind')).toMatchObject({
      reason: 'Error',
      earlier: { reason: 'OOMKilled', exitCode: 137 },
    })
    expect(containers.find((each) => each.name === 'runner')?.earlier).toBeNull()
  })

  it('asks for no output where nothing ran', async () => {
    const { ending, containers } = await ended({ metadata: leaving, spec: { nodeName: undefined } })
    expect(await ending()).toMatchObject({ tail: '', startedAt: null, missing: [] })
    expect(containers).toEqual([])
  })

  it('is read again where the kubelet may answer later, and names what could not be read', async () => {
    const later = await ended({ runner: terminated(1), status: failed }, [503, 'late\n'])
    expect(await later.ending()).toMatchObject({ tail: 'late\n', missing: [] })
    const gone = await ended({ runner: terminated(1), status: failed }, [404, 'only now\n'])
    expect((await gone.ending())?.missing.join()).toContain('the log is not there')
    expect(await gone.ending()).toMatchObject({ tail: 'only now\n' })
  })

  it('takes one read where the runner did its work, and nothing else of the cluster', async () => {
    const words = { check: terminated(0), poller: terminated(0), runner: terminated(0) }
    const { ending, containers, requests } = await ended({ ...words, status: { phase: 'Succeeded' } }, [
      'done\n',
    ])
    const before = requests('GET', events).length
    expect(await ending()).toMatchObject({ exitCode: 0, tail: 'done\n', missing: [] })
    expect(containers).toEqual(['runner'])
    expect(requests('GET', events)).toHaveLength(before)
    expect(requests('GET', `${pods}/`).map(({ path }) => path)).toEqual([`${pods}/${name}/log`])
  })

  it('has the output of every container that ran, of the others a few lines', async () => {
    const sidecar = { name: 'dind', state: terminated(2).state }
    const words = {
      check: terminated(0),
      poller: terminated(0),
      spec: withSidecar,
      status: { ...failed, containerStatuses: [{ name: 'runner', ...terminated(137) }, sidecar] },
    }
    const texts = {
      runner: 'killed\n',
      check: '',
      poller: 'a job\n',
      dind: `${'x'.repeat(99)}\n`.repeat(200),
    }
    const { ending, containers } = await ended(words, texts)
    const { pod, tail, missing } = (await ending()) ?? {}
    expect({ tail, missing }).toEqual({ tail: 'killed\n', missing: [] })
    const tails = Object.fromEntries(pod?.containers.map((each) => [each.name, each.tail]) ?? [])
    expect(tails).toMatchObject({ runner: '', check: '', poller: 'a job\n' })
    expect(tails.dind).toBe(`${'x'.repeat(99)}\n`.repeat(40))
    expect(containers.toSorted()).toEqual(['check', 'dind', 'poller', 'runner'])
  })

  it('names each container without readable output as missing, and keeps the output of the others', async () => {
    const words = { poller: terminated(0), runner: terminated(1), status: failed }
    const { ending } = await ended(words, { runner: 'last words\n', poller: 404 })
    expect(await ending()).toMatchObject({
      tail: 'last words\n',
      missing: [expect.stringContaining('poller')],
    })
  })

  it('has the events about the pod, and the conditions of its node', async () => {
    const ground = await ended({ runner: terminated(143), metadata: leaving, status: failed }, ['gone\n'])
    const about = { involvedObject: { kind: 'Pod', name, uid: ground.uid } }
    ground.api.truth.put(events, 'later', {
      ...about,
      type: 'Normal',
      reason: 'Killing',
      message: 'Stopping container runner',
      count: 3,
      firstTimestamp: at(20),
      lastTimestamp: at(5),
    })
    ground.api.truth.put(events, 'sooner', {
      ...about,
      type: 'Normal',
      reason: 'Scheduled',
      message: 'token=abcdefghijklmnop',
      eventTime: at(90),
    })
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: at(8) }
    const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', lastTransitionTime: at(9) }
    ground.api.truth.put(nodesPath, 'node-1', {
      spec: { unschedulable: true, taints: [taint] },
      status: { conditions: [ready] },
    })
    await expect.poll(async () => (await ground.host.nodes())[0]?.isCordoned).toBe(true)
    const { pod } = (await ground.ending()) ?? {}
    expect(pod?.events).toEqual([
      {
        type: 'Normal',
        reason: 'Scheduled',
        message: 'token=[redacted]',
        count: 1,
        firstAt: now - 90_000,
        lastAt: now - 90_000,
      },
      {
        type: 'Normal',
        reason: 'Killing',
        message: 'Stopping container runner',
        count: 3,
        firstAt: now - 20_000,
        lastAt: now - 5_000,
      },
    ])
    const asked = ground
      .requests('GET', events)
      .find(({ query }) => query.get('fieldSelector')?.includes('uid'))
    expect(Object.fromEntries(asked?.query ?? [])).toEqual({
      fieldSelector: `involvedObject.uid=${ground.uid}`,
      limit: '500',
    })
    expect(pod?.nodeAtEnd).toEqual({
      isGone: false,
      isCordoned: true,
      bootId: null,
      conditions: [
        { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: null, at: now - 9_000 },
      ],
      taints: [{ key: 'node.kubernetes.io/unreachable', value: null, effect: 'NoExecute', at: now - 8_000 }],
    })
    expect(pod?.conditions).toContainEqual({
      type: 'PodScheduled',
      status: 'True',
      reason: null,
      message: null,
      at: now - 95_000,
    })
  })

  it('says where events cannot be read, and has the warnings that were seen', async () => {
    const ground = await ended({ runner: terminated(1), status: failed }, { runner: 'last words\n' })
    ground.api.truth.put(events, 'warning', {
      involvedObject: { name, uid: ground.uid },
      type: 'Warning',
      reason: 'NodeNotReady',
      message: 'Node is not ready',
      firstTimestamp: at(5),
    })
    ground.api.faults.push(({ path, query }, response) => {
      if (path !== events || !query.has('fieldSelector') || query.has('watch')) return true
      status(response, 403, 'Forbidden', 'you may not')
      return undefined
    })
    await expect
      .poll(async () => (await ground.ending())?.pod?.events)
      .toMatchObject([{ reason: 'NodeNotReady', type: 'Warning', lastAt: now - 5_000 }])
    expect(await ground.ending()).toMatchObject({ missing: [expect.stringContaining('its events')] })
  })

  it('says that its node is gone', async () => {
    const ground = await ended(
      { runner: terminated(1), status: failed, spec: { nodeName: 'node-9' } },
      [500, 500, 500],
    )
    expect((await ground.ending())?.pod?.nodeAtEnd).toMatchObject({ isGone: true, conditions: [] })
  })

  it('ends in time where a log never does, and is not whole then', async () => {
    const ground = await ended({ runner: terminated(1), status: failed })
    ground.api.faults.unshift(({ path }, response) => {
      if (!path.endsWith('/log')) return true
      response.write('one\n') // and nothing ever again
      return undefined
    })
    const since = ground.clock.now()
    expect((await ground.ending())?.missing.join()).toContain('did not end within')
    expect(ground.clock.now() - since).toBeLessThan(60_000)
  })

  it('reads no output where its pool wants none', async () => {
    const evidence = { tailLines: 0, tailBytes: 0, deadlineMs: 5_000 }
    const plan = () => aPlan({ evidence })
    const { ending, containers } = await ended({ runner: terminated(1), status: failed }, [], { plan })
    expect(await ending()).toMatchObject({ tail: '', missing: [] })
    expect(containers).toEqual([])
  })

  it('is null while it runs, and has the last known state where its node is silent', async () => {
    const { api, ending, seen, containers } = await ended({ runner: running() })
    expect(await ending()).toBeNull()
    api.truth.put(nodesPath, 'node-1', {
      status: {
        conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-01-02T03:00:00Z' }],
      },
    })
    await expect.poll(async () => (await seen(name))?.silentSince).toBe(Date.UTC(2026, 0, 2, 3))
    expect(await ending()).toMatchObject({
      exitCode: null,
      endedAt: Date.UTC(2026, 0, 2, 3),
      pod: { reason: 'NodeLost' },
      missing: [expect.stringContaining('out of reach'), expect.stringContaining('node-1')],
    })
    expect(containers).toEqual([])
  })

  it('has the reason why we stopped it, and the start problem before that', async () => {
    const { ending, host, put, api, seen } = await ended({ runner: waiting('ErrImagePull', 'no such image') })
    const order = { reason: 'it did not start in time', graceMs: 1_000, evenIfStarted: false }
    // As a cluster does it with a finalizer: the pod stays, and leaves.
    api.failNext(1, ({ method }, response) => {
      if (method !== 'DELETE') return true
      put({
        metadata: leaving,
        runner: lostSight,
        status: failed,
      })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      return undefined
    })
    expect(await host.stop(name, order)).toBe('asked')
    await expect.poll(() => seen(name)).toMatchObject({ state: 'exited' })
    expect(await ending()).toMatchObject({
      stopRequestedBy: 'it did not start in time',
      startedAt: null,
      pod: { trouble: { kind: 'ImagePull', message: expect.stringContaining('no such image') } },
    })
  })

  it.each([
    ['no output of one that nobody needed', true, []],
    ['the output of its poller where it did not get going', false, ['poller']],
  ])('has %s', async (_, isUnneeded, read) => {
    const ground = await ended({ poller: running(), runner: waiting() }, ['asks for a job\n'])
    const { api, put, host, seen, ending, containers } = ground
    api.failNext(1, ({ method }, response) => {
      if (method !== 'DELETE') return true
      put({ metadata: leaving, poller: terminated(143), runner: waiting(), status: failed })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      return undefined
    })
    const order = { reason: 'a test', graceMs: 1_000, evenIfStarted: false, isUnneeded }
    expect(await host.stop(name, order)).toBe('asked')
    await expect.poll(() => seen(name)).toMatchObject({ state: 'exited' })
    expect(await ending()).toMatchObject({ stopRequestedBy: 'a test', startedAt: null, missing: [] })
    expect(containers).toEqual(read)
  })
})
