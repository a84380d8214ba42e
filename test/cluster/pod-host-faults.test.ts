import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { classifyDeath } from '../../src/domain/death/index.ts'
import { type Cluster, up } from './index.ts'
import { suiteName } from './testing/names.ts'
import {
  type HostGround,
  isGone,
  namespace,
  never,
  openHost,
  plan,
  runnerThat,
  seen,
  soon,
  start,
} from './testing/pod-host.ts'

const idle = { reason: 'nobody needs it', graceMs: 2_000, evenIfStarted: false }
const mergePatch = 'application/merge-patch+json'

describe('runners as pods that people and nodes do things to', () => {
  let real: Cluster
  let ground: HostGround
  beforeAll(async () => {
    real = await up({ name: suiteName('pod-host-faults') }, (line) => console.log(line))
    ground = await openHost(real)
  })
  afterAll(async () => {
    await ground?.stop()
    await real?.[Symbol.asyncDispose]()
  })
  const pod = (name: string) => `/api/v1/namespaces/${namespace}/pods/${name}`
  const endOf = async (name: string) => classifyDeath(await ground.host.ending(name))
  /** The output of a container so far; empty where it does not run yet. */
  const written = async (name: string, container: string) => {
    const order = { namespace, pod: name, container, linesMax: 10, bytesMax: 1_000, deadlineMs: 10_000 }
    return ground.ours.logs.tail(order, never).then(
      ({ text }) => text,
      () => '',
    )
  }
  const release = async (name: string) => {
    await ground.host.release(name)
    await isGone(real, name)
    expect(await seen(ground.host, name)).toBeUndefined()
  }

  it('stops an idle runner and keeps the reason', async () => {
    const name = await start(ground, 'idle', plan('true'))
    await runnerThat(ground.host, name, { state: 'running', program: 'waiting', node: 'node-1' })
    await expect.poll(() => written(name, 'poller'), soon).toBe('no job yet\n')
    expect(await ground.host.stop(name, idle)).toBe('asked')
    await runnerThat(ground.host, name, { state: 'exited', leavingSince: expect.any(Number) })
    const record = await endOf(name)
    expect(record).toMatchObject({ class: 'terminated', outcome: 'complete' })
    expect(record.because.join()).toContain('nobody needs it')
    expect(record.ending?.tail).toBe('no job yet\n')
    await release(name)
    // The removal is for one state of the pod: where the kubelet wrote meanwhile it is refused, and asked for again.
    const writes = new Set(ground.calls.filter((call) => call.endsWith(name)))
    expect([...writes]).toEqual([`create ${name}`, `remove ${name}`, `patch ${name}`])
  })

  it('does not stop a runner whose program has started, unless the order says so', async () => {
    const name = await start(
      ground,
      'started',
      plan("trap 'echo got SIGTERM; exit 3' TERM; sleep 600 & wait"),
    )
    await runnerThat(ground.host, name, { program: 'started' })
    expect(await ground.host.stop(name, idle)).toBe('refused')
    expect(ground.calls).not.toContain(`remove ${name}`)
    await expect(ground.host.release(name)).rejects.toMatchObject({ code: 'E_RUNNER_NOT_ENDED' })
    await expect(ground.host.abandon(name)).rejects.toMatchObject({ code: 'E_RUNNER_NOT_ENDED' })
    expect(await ground.host.stop(name, { ...idle, evenIfStarted: true })).toBe('asked')
    await runnerThat(ground.host, name, { state: 'exited' })
    expect((await endOf(name)).ending).toMatchObject({ exitCode: 3, tail: 'got SIGTERM\n' })
    await release(name)
  })

  it('does not know in the single shape whether a job runs, and stops the runner on any order', async () => {
    const name = await start(ground, 'single', plan('sleep 600', { shape: 'single' }))
    await runnerThat(ground.host, name, { program: 'unknown', state: 'running' })
    expect(await ground.host.stop(name, idle)).toBe('asked')
    await runnerThat(ground.host, name, { state: 'exited' })
    await release(name)
  })

  it('says that the kubelet evicted a runner that filled its volume', async () => {
    const template = {
      spec: {
        volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }],
        containers: [{ name: 'runner', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    }
    const made = plan('head -c 8000000 /dev/zero > /data/all; sleep 600', { template })
    const name = await start(ground, 'full', made)
    await runnerThat(ground.host, name, { state: 'exited' })
    const record = await endOf(name)
    expect(record).toMatchObject({ class: 'evicted-ephemeral-storage', confidence: 'proven' })
    expect(record.because.join()).toContain('EmptyDir volume "data" exceeds the limit "1Mi"')
    await release(name)
  })

  it('says that a volume cannot be had, and that a key is not there', async () => {
    const volumes = [{ name: 'absent', configMap: { name: 'absent' } }]
    const mounted = { name: 'runner', volumeMounts: [{ name: 'absent', mountPath: '/absent' }] }
    const unmounted = plan('true', { template: { spec: { volumes, containers: [mounted] } } })
    const valueFrom = { secretKeyRef: { name: 'absent', key: 'any' } }
    const keyed = { name: 'runner', env: [{ name: 'ABSENT', valueFrom }] }
    const keyless = plan('true', { template: { spec: { containers: [keyed] } } })
    for (const [pool, made, kind, deathClass, words] of [
      ['mounts', unmounted, 'SandboxFailed', 'sandbox-failed', 'configmap "absent" not found'],
      ['keyless', keyless, 'ConfigError', 'config-error', 'secret "absent" not found'],
    ] as const) {
      const name = await start(ground, pool, made)
      const problem = expect.objectContaining({ kind, message: expect.stringContaining(words) })
      await runnerThat(ground.host, name, { state: 'running', program: 'waiting', problem })
      expect(await ground.host.stop(name, idle)).toBe('asked')
      await runnerThat(ground.host, name, { state: 'exited' })
      const record = await endOf(name)
      expect(record).toMatchObject({ class: deathClass })
      expect(record.because.join()).toContain(words)
      await release(name)
    }
  })

  it('says that somebody drains the node of a runner', async () => {
    const name = await start(ground, 'drained', plan('exec sleep 600'))
    await runnerThat(ground.host, name, { program: 'started' })
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
    const { status } = await real.api.request('POST', `${pod(name)}/eviction`, eviction)
    expect(status).toBe(201)
    await runnerThat(ground.host, name, { state: 'exited' })
    const record = await endOf(name)
    expect(record).toMatchObject({ class: 'node-drained', confidence: 'likely', outcome: 'complete' })
    const { events, nodeAtEnd, conditions, containers } = record.ending?.pod ?? {}
    expect(events?.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Scheduled', 'Killing']))
    expect(nodeAtEnd).toMatchObject({ isGone: false, isCordoned: false })
    const ready = expect.objectContaining({ type: 'Ready', status: 'True', at: expect.any(Number) })
    expect(nodeAtEnd?.conditions).toContainEqual(ready)
    expect(conditions?.map(({ type }) => type)).toContain('DisruptionTarget')
    expect(containers?.find((each) => each.name === 'runner')).toMatchObject({
      imageDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      restarts: 0,
      earlier: null,
      limits: { memoryBytes: 64 * 2 ** 20, cpuMillis: null },
    })
    expect(containers?.find((each) => each.name === 'poller')?.tail).toBe('a job came\n')
    await release(name)
  })

  it('keeps the newest end, bounded, of a log that is one endless line and no text', async () => {
    const endless = "head -c 60000000 /dev/zero | tr '\\0' '\\377'; printf ' the end'; exit 3"
    const name = await start(ground, 'endless', plan(endless))
    await runnerThat(ground.host, name, { state: 'exited' })
    const { ending } = await endOf(name)
    expect(ending?.tail.endsWith(' the end')).toBe(true)
    expect(Buffer.byteLength(ending?.tail ?? '')).toBeLessThanOrEqual(64 * 1024)
    expect(ending?.missing).toEqual([])
    await release(name)
  })

  it('has the record of a runner that a person force-deletes', async () => {
    const name = await start(ground, 'forced', plan('exec sleep 600'))
    await runnerThat(ground.host, name, { program: 'started' })
    await real.api.request('DELETE', pod(name), { gracePeriodSeconds: 0 })
    await runnerThat(ground.host, name, { state: 'exited', leavingSince: expect.any(Number) })
    expect(await endOf(name)).toMatchObject({ class: 'deleted', ending: { exitCode: 137 } })
    await release(name)
  })

  it('has what was last seen of a runner whose finalizer a person took off', async () => {
    const name = await start(ground, 'torn', plan('exec sleep 600'))
    await runnerThat(ground.host, name, { program: 'started' })
    await real.api.request('PATCH', pod(name), { metadata: { finalizers: null } }, mergePatch)
    await real.api.request('DELETE', pod(name), { gracePeriodSeconds: 0 })
    await isGone(real, name)
    await runnerThat(ground.host, name, { state: 'exited', program: 'started' })
    expect(await ground.host.find(name, never)).toMatchObject({ state: 'exited' })
    const record = await endOf(name)
    expect(record).toMatchObject({ class: 'deleted', outcome: 'incomplete' })
    expect(record.ending?.missing.length).toBeGreaterThan(0)
    await ground.host.release(name)
    expect(await seen(ground.host, name)).toBeUndefined()
    expect(await ground.host.find(name, never)).toBeNull()
  })

  it('does not take a runner for ended whose label a person took off', async () => {
    const name = await start(ground, 'unlabelled', plan('exec sleep 600'))
    await runnerThat(ground.host, name, { program: 'started' })
    const patch = { metadata: { labels: { 'holdfast.dev/runner': null } } }
    await real.api.request('PATCH', pod(name), patch, mergePatch)
    await expect.poll(() => ground.calls.includes(`read ${name}`), soon).toBe(true)
    expect(await ground.host.find(name, never)).toMatchObject({ state: 'running', program: 'started' })
    expect(await seen(ground.host, name)).toMatchObject({ state: 'running' })
    const back = { metadata: { labels: { 'holdfast.dev/runner': name } } }
    await real.api.request('PATCH', pod(name), back, mergePatch)
    await ground.host.stop(name, { ...idle, evenIfStarted: true })
    await runnerThat(ground.host, name, { state: 'exited' })
    await release(name)
  })

  it('sees everything again after a restart', async () => {
    const names = [
      await start(ground, 'idle-again', plan('true')),
      await start(ground, 'running-again', plan('exec sleep 600')),
      await start(ground, 'ended-again', plan('echo last words; exit 4')),
    ]
    await runnerThat(ground.host, names[1] as string, { program: 'started' })
    await runnerThat(ground.host, names[2] as string, { state: 'exited' })
    const other = await ground.another()
    const ofThese = async (host: typeof other) =>
      (await host.list())
        .filter(({ name }) => names.includes(name))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    await expect.poll(() => ofThese(other), soon).toEqual(await ofThese(ground.host))
    expect(await other.ending(names[2] as string)).toMatchObject({ exitCode: 4, tail: 'last words\n' })
    await other.release(names[2] as string)
    await isGone(real, names[2] as string)
    // The first one had no part in it: for it the runner went without a word, until it is released there too.
    await ground.host.release(names[2] as string)
  })

  it('says that a node does nothing about a runner that was placed there', async () => {
    await real.parts.signal('node-1-containerd', 'SIGSTOP')
    onTestFinished(() => real.parts.signal('node-1-containerd', 'SIGCONT'))
    const name = await start(ground, 'degraded', plan('true'))
    const changes: string[] = []
    onTestFinished(ground.host.onChange((changed) => changes.push(changed)))
    const problem = expect.objectContaining({
      kind: 'NodeSilent',
      message: expect.stringContaining('node-1'),
    })
    await runnerThat(ground.host, name, { state: 'running', program: 'waiting', node: 'node-1', problem })
    expect(changes).toContain(name)
    await real.parts.signal('node-1-containerd', 'SIGCONT')
    await runnerThat(ground.host, name, { state: 'exited', program: 'started' })
    expect(await endOf(name)).toMatchObject({ class: 'clean' })
    await release(name)
  })

  it('says since when a node is silent, and gives up its runner only then', async () => {
    const name = await start(ground, 'silent', plan('exec sleep 600'))
    await runnerThat(ground.host, name, { program: 'started', silentSince: null })
    await real.parts.kill('node-1-kubelet')
    const changes: string[] = []
    ground.host.onChange((changed) => changes.push(changed))
    await runnerThat(ground.host, name, { silentSince: expect.any(Number), state: 'running' })
    expect(changes).toContain(name)
    expect(await ground.host.nodes()).toMatchObject([{ name: 'node-1', isReady: false }])
    expect(await endOf(name)).toMatchObject({ class: 'node-lost', outcome: 'incomplete' })
    await expect(ground.host.release(name)).rejects.toMatchObject({ code: 'E_RUNNER_NOT_ENDED' })
    await ground.host.abandon(name)
    await isGone(real, name)
    expect(await seen(ground.host, name)).toBeUndefined()
    await real.startAgain('node-1-kubelet')
  })
})
