import { describe, expect, it } from 'vitest'
import { status } from '../testing/api-server.ts'
import { hostGround, NODES } from './testing/ground.ts'
import { leaving, running, terminated, waiting } from './testing/pod.ts'

const name = 'linux-00000001'
const failed = { phase: 'Failed' }
const lostSight = terminated(137, { reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null })

async function ended(
  words: Parameters<Awaited<ReturnType<typeof hostGround>>['put']>[0],
  texts: unknown[] = [],
) {
  const ground = await hostGround()
  const containers: (string | null)[] = []
  ground.api.faults.push(({ path, query }, response) => {
    if (!path.endsWith('/log')) return true
    containers.push(query.get('container'))
    const text = texts.shift()
    if (typeof text === 'string') response.end(text)
    else status(response, Number(text ?? 404), 'Some', 'the log is not there')
    return undefined
  })
  ground.put(words)
  await expect.poll(() => ground.seen(name)).toBeDefined()
  return { ...ground, containers, ending: () => ground.host.ending(name) }
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

  it('has the output of the check where that failed, and says what kept it from starting', async () => {
    const check = terminated(127, { message: 'no such program' })
    const words = { check, poller: waiting(), runner: waiting(), status: failed }
    const { ending, containers } = await ended(words, ['no such program\n'])
    expect(await ending()).toMatchObject({
      ...{ tail: 'no such program\n', startedAt: null, missing: [] },
      pod: { trouble: { kind: 'ConfigError', message: expect.stringContaining('no such program') } },
    })
    expect(containers).toEqual(['check'])
  })

  it('does not ask for the output of a check that went well', async () => {
    const status = { ...failed, reason: 'Evicted' }
    const { ending, containers } = await ended({ check: terminated(0), runner: waiting(), status })
    expect(await ending()).toMatchObject({ tail: '', missing: [] })
    expect(containers).toEqual([])
  })

  it('asks for no output where nothing ran', async () => {
    const { ending, containers } = await ended({ metadata: leaving, spec: { nodeName: undefined } })
    expect(await ending()).toMatchObject({ tail: '', startedAt: null, missing: [] })
    expect(containers).toEqual([])
  })

  it('asks again where the kubelet may answer later, and says what could not be read', async () => {
    const later = await ended({ runner: terminated(1), status: failed }, [503, 'late\n'])
    expect(await later.ending()).toMatchObject({ tail: 'late\n', missing: [] })
    const gone = await ended({ runner: terminated(1), status: failed }, [404, 'only now\n'])
    expect((await gone.ending())?.missing.join()).toContain('the log is not there')
    expect(await gone.ending()).toMatchObject({ tail: 'only now\n' })
  })

  it('is null while it runs, and what is known of it where its node is silent', async () => {
    const { api, ending, seen, containers } = await ended({ runner: running() })
    expect(await ending()).toBeNull()
    api.truth.put(NODES, 'node-1', {
      status: {
        conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-01-02T03:00:00Z' }],
      },
    })
    await expect.poll(async () => (await seen(name))?.silentSince).toBe(Date.UTC(2026, 0, 2, 3))
    expect(await ending()).toMatchObject({
      ...{ exitCode: null, endedAt: Date.UTC(2026, 0, 2, 3), pod: { reason: 'NodeLost' } },
      missing: [expect.stringContaining('out of reach'), expect.stringContaining('node-1')],
    })
    expect(containers).toEqual([])
  })

  it('tells why we stopped it, and what kept it from starting before that', async () => {
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
      ...{ stopRequestedBy: 'it did not start in time', startedAt: null },
      pod: { trouble: { kind: 'ImagePull', message: expect.stringContaining('no such image') } },
    })
  })
})
