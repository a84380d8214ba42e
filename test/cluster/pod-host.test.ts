import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { classifyDeath } from '../../src/domain/death/index.ts'
import { type Cluster, up } from './index.ts'
import { suiteName } from './testing/names.ts'
import {
  type HostGround,
  hollowImage,
  image,
  isGone,
  namespace,
  never,
  openHost,
  plan,
  podOf,
  processOf,
  runnerThat,
  seen,
  soon,
  start,
} from './testing/pod-host.ts'

const stopOrder = { reason: 'nobody needs it', graceMs: 2_000, evenIfStarted: false }

describe('runners as pods on a real node', () => {
  let real: Cluster
  let ground: HostGround
  beforeAll(async () => {
    real = await up({ name: suiteName('pod-host') }, (line) => console.log(line))
    ground = await openHost(real)
  })
  afterAll(async () => {
    await ground?.stop()
    await real?.[Symbol.asyncDispose]()
  })
  const endOf = async (name: string) => classifyDeath(await ground.host.ending(name))
  const release = async (name: string) => {
    await ground.host.release(name)
    await isGone(real, name)
    expect(await seen(ground.host, name)).toBeUndefined()
  }

  it('runs one from its start to its release with three writes and no read', async () => {
    const { host, calls } = ground
    const name = await start(ground, 'whole', plan('echo token ghp_0123456789abcdefghijABCDEFGHIJ; exit 0'))
    expect(await seen(host, name)).toMatchObject({ state: 'running', program: 'waiting', pool: 'whole' })
    await runnerThat(host, name, { state: 'exited', program: 'started', node: 'node-1' })
    const ending = await host.ending(name)
    expect(ending).toMatchObject({ exitCode: 0, missing: [], memoryLimitBytes: 64 * 2 ** 20 })
    expect(ending?.tail).toBe('token [redacted]\n')
    expect(ending?.startedAt).toBeGreaterThan(Date.now() - 120_000)
    expect(ending?.pod?.containers.map((each) => [each.name, each.exitCode])).toEqual([
      ['check', 0],
      ['poller', 0],
      ['runner', 0],
    ])
    expect(classifyDeath(ending)).toMatchObject({ class: 'clean', outcome: 'complete' })
    await release(name)
    expect(calls).toEqual([`create ${name}`, `patch ${name}`, `remove ${name}`])
    expect(await host.find(name, never)).toBeNull()
  })

  it('says that the kernel killed a runner at its memory limit', async () => {
    const name = await start(ground, 'greedy', plan('exec tail /dev/zero'))
    await runnerThat(ground.host, name, { state: 'exited', program: 'started' })
    expect(await endOf(name)).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    await release(name)
  })

  it('does not call a runner that somebody killed an OOM', async () => {
    const name = await start(ground, 'killed', plan('exec sleep 98765'))
    await runnerThat(ground.host, name, { program: 'started' })
    await expect.poll(() => processOf('sleep 98765').catch(() => 0), soon).toBeGreaterThan(0)
    process.kill(await processOf('sleep 98765'), 'SIGKILL')
    await runnerThat(ground.host, name, { state: 'exited' })
    expect(await endOf(name)).toMatchObject({ class: 'sigkill-unknown', ending: { exitCode: 137 } })
    await release(name)
  })

  it('says that an image cannot be had, and releases such a pod', async () => {
    const made = plan('true', { image: 'holdfast.test/absent:1' })
    const name = await start(ground, 'pulls', made)
    const { problem } = await runnerThat(ground.host, name, {
      state: 'running',
      program: 'waiting',
      problem: expect.objectContaining({ kind: 'ImagePull' }),
    })
    expect(problem?.message).toContain('holdfast.test/absent:1')
    expect(await ground.host.stop(name, stopOrder)).toBe('asked')
    await runnerThat(ground.host, name, { state: 'exited' })
    const record = await endOf(name)
    expect(record).toMatchObject({ class: 'image-pull' })
    expect(record.because.join(' ')).toMatch(/ImagePull.*nobody needs it/)
    await release(name)
  })

  it('says that a command is not there', async () => {
    const name = await start(ground, 'bad-command', plan('', { image: hollowImage, command: null }))
    await runnerThat(ground.host, name, {
      state: 'exited',
      program: 'waiting',
      problem: expect.objectContaining({ kind: 'ConfigError' }),
    })
    const record = await endOf(name)
    expect(record).toMatchObject({ class: 'config-error', confidence: 'proven', outcome: 'complete' })
    expect(record.because.join(' ')).toContain('/no/such/program')
    await release(name)
  })

  it('says that a program is not there before anybody asked for a job, in the words of the check', async () => {
    const name = await start(ground, 'no-program', plan('', { command: ['/no/such/program'] }))
    await runnerThat(ground.host, name, {
      state: 'exited',
      program: 'waiting',
      problem: expect.objectContaining({ kind: 'ConfigError' }),
    })
    const record = await endOf(name)
    expect(record).toMatchObject({ class: 'config-error', confidence: 'proven', outcome: 'complete' })
    expect(record.ending?.tail).toMatch(/^holdfast check: expected the program "\/no\/such\/program"/)
    expect(record.ending?.pod?.containers).toMatchObject([{ exitCode: 127 }, { state: 'waiting' }, {}])
    await release(name)
  })

  it('says that no node takes a runner, and releases its pod', async () => {
    const resources = { requests: { cpu: '500' }, limits: {} }
    const name = await start(ground, 'huge', plan('true', { resources }))
    await runnerThat(ground.host, name, {
      node: null,
      problem: expect.objectContaining({ kind: 'NoHealthyNode' }),
    })
    const none = { more: 0, problem: expect.objectContaining({ kind: 'NoHealthyNode' }) }
    expect(await ground.host.headroom('huge')).toMatchObject(none)
    expect(await ground.host.stop(name, stopOrder)).toBe('asked')
    await runnerThat(ground.host, name, { state: 'exited' })
    expect(await endOf(name)).toMatchObject({ class: 'never-started', outcome: 'complete' })
    await release(name)
  })

  it('gives the cluster’s word where a quota is used up, and makes nothing', async () => {
    const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`
    await real.api.request('POST', quotas, {
      metadata: { name: 'small' },
      spec: { hard: { pods: '1', 'requests.cpu': '1' } },
    })
    ground.plans.set('quota', plan('sleep 600', { resources: { requests: { cpu: '2' }, limits: {} } }))
    await expect
      .poll(() => ground.host.headroom('quota'), soon)
      .toMatchObject({
        more: 0,
        problem: expect.objectContaining({ kind: 'QuotaExceeded' }),
      })
    const name = 'quota-00000001'
    const order = { name, pool: 'quota', secret: '', avoidNodes: [] }
    const outcome = await ground.host.start(order, never)
    expect(outcome).toMatchObject({ kind: 'refused', problem: { kind: 'QuotaExceeded' } })
    expect(outcome.kind === 'refused' && outcome.problem.message).toContain('exceeded quota: small')
    expect(await seen(ground.host, name)).toBeUndefined()
    expect(await ground.host.find(name, never)).toBeNull()
    await real.api.request('DELETE', `${quotas}/small`)
    await expect
      .poll(async () => (await ground.host.headroom('quota')).problem, soon)
      .not.toMatchObject({
        kind: 'QuotaExceeded',
      })
  })

  it('gives the cluster’s word where it refuses what a pool asks for', async () => {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } }
    ground.plans.set('wrong', plan('true', { resources }))
    const order = { name: 'wrong-00000001', pool: 'wrong', secret: '', avoidNodes: [] }
    const outcome = await ground.host.start(order, never)
    expect(outcome).toMatchObject({ kind: 'refused', problem: { kind: 'TemplateRefused' } })
    expect(outcome.kind === 'refused' && outcome.problem.message).toContain('must be less than or equal to')
  })

  it('refuses a name that somebody else has, and takes its own for started', async () => {
    const stranger = { name: 'main', image, command: ['sleep', '600'] }
    await real.api.request('POST', `/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name: 'taken-00000001' },
      spec: { containers: [stranger], terminationGracePeriodSeconds: 0 },
    })
    ground.plans.set('taken', plan('true'))
    const order = { name: 'taken-00000001', pool: 'taken', secret: '', avoidNodes: [] }
    const outcome = await ground.host.start(order, never)
    expect(outcome).toMatchObject({ kind: 'refused', problem: { kind: 'TemplateRefused' } })
    expect(await seen(ground.host, 'taken-00000001')).toBeUndefined()
    const name = await start(ground, 'idle-twice', plan('true'))
    const again = { name, pool: 'idle-twice', secret: '', avoidNodes: [] }
    expect(await (await ground.another()).start(again, never)).toEqual({ kind: 'started' })
  })

  it('is protected once, by one write', async () => {
    const name = await start(ground, 'busy', plan('sleep 600'))
    await runnerThat(ground.host, name, { program: 'started', isProtected: false })
    await ground.host.protect(name)
    await runnerThat(ground.host, name, { isProtected: true })
    await ground.host.protect(name)
    expect(ground.calls.filter((call) => call === `patch ${name}`)).toHaveLength(1)
    const { body } = await podOf(real, name)
    expect(body.metadata.annotations).toMatchObject({ 'karpenter.sh/do-not-disrupt': 'true' })
  })
})
