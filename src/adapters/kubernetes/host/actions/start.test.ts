import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { status } from '../../client/testing/api-server.ts'
import { hurriedClock } from '../../client/testing/bench.ts'
import { hostGround, never, pods } from '../testing/ground.ts'
import { aPlan } from '../testing/plan.ts'

const name = 'linux-00000001'

describe('a start', () => {
  it('is listed at once, also while no watch shows it, and not twice when one does', async () => {
    const { api, start, host, seen } = await hostGround()
    const held: string[] = []
    api.deliver = (event) => {
      held.push(event.type)
      return []
    }
    expect(await start(name)).toEqual({ kind: 'started' })
    expect(await seen(name)).toMatchObject({
      state: 'running',
      program: 'waiting',
      pool: 'linux',
      node: null,
    })
    expect(await host.find(name, never)).toMatchObject({ name, state: 'running' })
    api.deliver = (event) => [event]
    api.truth.change(pods, name, { spec: { nodeName: 'node-1' } }, true)
    await expect.poll(() => seen(name)).toMatchObject({ node: 'node-1' })
    expect((await host.list()).filter((runner) => runner.name === name)).toHaveLength(1)
    expect(await start(name)).toEqual({ kind: 'started' })
    expect(api.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('with a lost response stays reserved, and is found once its pod shows', async () => {
    const { api, start, host, seen } = await hostGround()
    api.failNext(1, ({ body }, response) => {
      const { metadata, spec } = body as { metadata: object; spec: object }
      setTimeout(() => api.truth.put(pods, name, { metadata, spec, status: { phase: 'Pending' } }), 50)
      response.destroy()
      return false
    })
    await expect(start(name)).rejects.toMatchObject({ code: 'E_CLUSTER_UNREACHABLE' })
    expect(await seen(name)).toMatchObject({ state: 'running' })
    expect(await host.find(name, never)).toMatchObject({ state: 'running' })
    await expect.poll(async () => (await seen(name))?.template).toEqual(expect.any(String))
  })

  it('with a lost response that created no pod is dropped once it cannot take effect any more', async () => {
    const { api, start, host, seen, reported } = await hostGround({}, hurriedClock(100))
    api.failNext(1, (_, response) => void response.destroy())
    await expect(start(name)).rejects.toMatchObject({ code: 'E_CLUSTER_UNREACHABLE' })
    expect(await host.find(name, never)).toMatchObject({ state: 'running' })
    await expect.poll(() => reported, { timeout: 10_000 }).toContain(name)
    expect(await seen(name)).toBeUndefined()
    expect(await host.find(name, never)).toBeNull()
  })

  const refusals: readonly [title: string, code: number, words: string, kind: string][] = [
    ['a quota', 403, 'pods "x" is forbidden: exceeded quota: small, requested: pods=1', 'QuotaExceeded'],
    ['a webhook', 403, 'admission webhook "policy" denied the request: no', 'TemplateRefused'],
    [
      'the API, of a typo,',
      400,
      'strict decoding error: unknown field "spec.tolerationz"',
      'TemplateRefused',
    ],
    ['the API', 422, 'Pod "x" is invalid: spec.containers[0].image: Required value', 'TemplateRefused'],
  ]
  it.each(refusals)('that %s refuses created no pod, and gives the reason', async (_, code, words, kind) => {
    const { api, start, seen } = await hostGround()
    api.failNext(1, (_request, response) => void status(response, code, 'Forbidden', words))
    expect(await start(name)).toMatchObject({ kind: 'refused', problem: { kind, message: words } })
    expect(await seen(name)).toBeUndefined()
  })

  it.each([
    [403, 'pods "x" is forbidden: exceeded quota: small, requested: pods=1'],
    [422, 'Pod "x" is invalid: spec.containers[0].image: Required value'],
  ])(
    'that is refused with %i although an earlier try created the pod counts as a start',
    async (code, words) => {
      const { api, start, seen, put } = await hostGround()
      api.deliver = () => []
      put()
      api.failNext(1, (_request, response) => void status(response, code, 'Forbidden', words))
      expect(await start(name)).toEqual({ kind: 'started' })
      expect(await seen(name)).toMatchObject({ state: 'running' })
    },
  )

  it('that is refused may have created a pod where the cluster cannot be asked', async () => {
    const { api, start, seen } = await hostGround()
    api.failNext(1, (_request, response) => void status(response, 403, 'Forbidden', 'exceeded quota: small'))
    api.failNext(100, ({ path }, response) => {
      if (path !== `${pods}/${name}`) return true
      response.destroy()
      return false
    })
    await expect(start(name)).rejects.toMatchObject({ code: 'E_CLUSTER_UNREACHABLE' })
    expect(await seen(name)).toMatchObject({ state: 'running' })
  })

  it('where we do not lead sends nothing and reserves nothing', async () => {
    const { start, seen, writeWith, requests } = await hostGround()
    writeWith(() => {
      throw new HoldfastError('E_CLUSTER_NOT_LEADER', { holder: 'we', reason: 'it is over' })
    })
    await expect(start(name)).rejects.toMatchObject({ code: 'E_CLUSTER_NOT_LEADER' })
    expect(await seen(name)).toBeUndefined()
    expect(requests('POST')).toHaveLength(0)
  })

  it('under a name that a stranger has is refused', async () => {
    const { api, start, seen } = await hostGround()
    api.deliver = () => []
    api.truth.put(pods, name, { metadata: { namespace: 'ci' }, spec: {}, status: {} })
    expect(await start(name)).toMatchObject({ kind: 'refused', problem: { kind: 'TemplateRefused' } })
    expect(await seen(name)).toBeUndefined()
  })

  it('under a name that is ours already is one', async () => {
    const { api, start, put } = await hostGround()
    api.deliver = () => []
    put()
    expect(await start(name)).toEqual({ kind: 'started' })
  })

  it('of a pool that does not exist, or with a refused template, gives the reason', async () => {
    const { host, plans } = await hostGround()
    plans.set('crooked', aPlan({ template: { spec: { restartPolicy: 'Always' } } }))
    for (const [pool, words] of [
      ['nowhere', /no pool "nowhere"/],
      ['crooked', /^template\.spec\.restartPolicy: expected/],
    ] as const) {
      const outcome = await host.start({ name: `${pool}-1`, pool, secret: '', avoidNodes: [] }, never)
      expect(outcome).toMatchObject({ kind: 'refused', problem: { kind: 'TemplateRefused' } })
      expect(outcome.kind === 'refused' && outcome.problem.message).toMatch(words)
    }
  })
})
