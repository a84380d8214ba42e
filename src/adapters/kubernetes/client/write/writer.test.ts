import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { status } from '../testing/api-server.ts'
import { bench, hurriedClock, podPath, pods } from '../testing/bench.ts'

const never = new AbortController().signal
const manifest = (name = 'a') => ({ metadata: { name, namespace: 'ci' }, spec: { x: 1 } })

async function withPod() {
  const { api, cluster, ...rest } = await bench()
  const { writer } = cluster
  const created = await writer.create(pods, manifest(), never)
  if (created.kind !== 'created') throw new Error('not created')
  const { name, uid, resourceVersion } = created.object.metadata
  const writes = () => api.requests.slice(1)
  return { api, cluster, writer, writes, target: { name, namespace: 'ci', uid, resourceVersion }, ...rest }
}
const codeOf = async (call: Promise<unknown>) => {
  const error = await call.then(() => null).catch((thrown: unknown) => thrown)
  return error instanceof HoldfastError ? [error.code, error.params.outcomeUnknown] : error
}

describe('create', () => {
  it('gives the object with its identity, under our name', async () => {
    const { api, target } = await withPod()
    expect(target.uid).not.toBe('')
    const [{ query, body }] = api.requests as [(typeof api.requests)[0]]
    expect(query.get('fieldManager')).toBe('holdfast')
    expect(query.get('fieldValidation')).toBe('Strict')
    expect(body).toMatchObject({ apiVersion: 'v1', kind: 'Pod', spec: { x: 1 } })
  })

  it('reports a name that exists already, and leaves that object as it is', async () => {
    const { writer, api, target } = await withPod()
    expect(await writer.create(pods, manifest(), never)).toEqual({ kind: 'exists' })
    expect(api.truth.get(podPath, 'a')?.metadata.uid).toBe(target.uid)
  })

  it('is not repeated where its response was lost, and reports the effect as unknown', async () => {
    const { writer, api, writes } = await withPod()
    api.failNext(1, (_, response) => void response.destroy())
    expect(await codeOf(writer.create(pods, manifest('b'), never))).toEqual(['E_CLUSTER_UNREACHABLE', true])
    expect(writes()).toHaveLength(1)
  })

  it('reports that nothing happened where no server listens', async () => {
    const { writer, api } = await withPod()
    await api[Symbol.asyncDispose]()
    expect(await codeOf(writer.create(pods, manifest('b'), never))).toEqual(['E_CLUSTER_UNREACHABLE', false])
  })

  it('is repeated where it was throttled, since it had no effect', async () => {
    const { writer, api, writes } = await withPod()
    api.failNext(
      2,
      (_, response) => void status(response, 429, 'TooManyRequests', 'busy', { 'retry-after': '1' }),
    )
    expect(await writer.create(pods, manifest('b'), never)).toMatchObject({ kind: 'created' })
    expect(writes()).toHaveLength(3)
  })

  it('gives the message of the API server where it refuses', async () => {
    const { writer, api } = await withPod()
    const words = 'pods "b" is forbidden: exceeded quota: ci'
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', words))
    await expect(writer.create(pods, manifest('b'), never)).rejects.toMatchObject({
      code: 'E_CLUSTER_REFUSED',
      params: { code: 403, reason: words, word: 'Forbidden' },
    })
  })
})

describe('remove', () => {
  it('names the object and its state, and takes it away', async () => {
    const { writer, target, writes, api } = await withPod()
    expect(await writer.remove(pods, target, never, { gracePeriodSeconds: 30 })).toBe('removed')
    const { uid, resourceVersion } = target
    expect(writes()[0]?.body).toMatchObject({
      preconditions: { uid, resourceVersion },
      gracePeriodSeconds: 30,
    })
    expect(api.truth.get(podPath, 'a')).toBeUndefined()
    expect(await writer.remove(pods, target, never)).toBe('gone')
  })

  it('does not touch another object of the name, nor another state of it', async () => {
    const { writer, target, api } = await withPod()
    expect(await writer.remove(pods, { ...target, uid: 'other' }, never)).toBe('conflict')
    api.truth.put(podPath, 'a', { busy: true })
    expect(await writer.remove(pods, target, never)).toBe('conflict')
    expect(api.truth.get(podPath, 'a')).toMatchObject({ busy: true })
  })

  it.each(['uid', 'resourceVersion'] as const)('without a %s sends nothing', async (field) => {
    const { writer, target, writes } = await withPod()
    for (const nothing of ['', undefined as unknown as string]) {
      await expect(writer.remove(pods, { ...target, [field]: nothing }, never)).rejects.toThrow(
        'no uid or resourceVersion',
      )
    }
    expect(writes()).toEqual([])
  })

  it('is repeated where its answer was lost', async () => {
    const { writer, target, api } = await withPod()
    api.failNext(1, (_, response) => void response.destroy())
    expect(await writer.remove(pods, target, never)).toBe('removed')
  })
})

describe('patch', () => {
  it('changes exactly this state', async () => {
    const { writer, target, writes } = await withPod()
    const patched = await writer.patch(pods, target, { spec: { y: 2 } }, never)
    expect(patched).toMatchObject({ kind: 'changed', object: { spec: { x: 1, y: 2 } } })
    expect(writes()[0]?.headers['content-type']).toBe('application/merge-patch+json')
    expect(await writer.patch(pods, target, { spec: { y: 3 } }, never)).toMatchObject({ kind: 'conflict' })
    expect(await writer.patch(pods, { ...target, name: 'b' }, {}, never)).toEqual({ kind: 'gone' })
    expect(await writer.patch(pods, { ...target, uid: 'other' }, {}, never)).toEqual({ kind: 'gone' })
  })

  it('changes whatever state there is where only the object is named, and never another object', async () => {
    const { writer, target, writes, api } = await withPod()
    const { resourceVersion: _, ...same } = target
    api.truth.put(podPath, 'a', { busy: true })
    expect(await writer.patch(pods, same, { spec: { y: 2 } }, never)).toMatchObject({ kind: 'changed' })
    expect(writes()[0]?.body).toEqual({ metadata: { uid: target.uid }, spec: { y: 2 } })
    expect(await writer.patch(pods, { ...same, uid: 'other' }, {}, never)).toEqual({ kind: 'gone' })
    await expect(writer.patch(pods, { ...same, uid: '' }, {}, never)).rejects.toThrow('does not name its uid')
  })

  it('requests only the metadata of the object it wrote', async () => {
    const { writer, target, api } = await withPod()
    await writer.patch(pods, target, {}, never)
    for (const { headers } of api.requests) expect(headers.accept).toContain('as=PartialObjectMetadata')
  })

  it('reaches the status alone where it is asked to', async () => {
    const { writer, target, writes } = await withPod()
    await writer.patch(pods, target, { status: {} }, never, 'status')
    expect(writes()[0]?.path).toBe(`${podPath}/a/status`)
  })
})

describe('removing a finalizer', () => {
  it('takes one finalizer off, whatever changed meanwhile, and leaves those of others', async () => {
    const { writer, target, writes, api } = await withPod()
    const finalizers = ['theirs', 'ours', 'also theirs']
    api.truth.put(podPath, 'a', { metadata: { finalizers }, busy: true })
    expect(await writer.removeFinalizer(pods, target, 'ours', never)).toMatchObject({ kind: 'changed' })
    expect(writes()[0]?.headers['content-type']).toBe('application/strategic-merge-patch+json')
    expect(api.truth.get(podPath, 'a')).toMatchObject({
      metadata: { finalizers: ['theirs', 'also theirs'] },
      busy: true,
    })
    expect(await writer.removeFinalizer(pods, { ...target, uid: 'other' }, 'theirs', never)).toEqual({
      kind: 'gone',
    })
    expect(await writer.removeFinalizer(pods, { ...target, name: 'b' }, 'theirs', never)).toEqual({
      kind: 'gone',
    })
  })
})

describe('apply', () => {
  it('is server-side, with the field manager holdfast, and creates an object that does not exist', async () => {
    const { writer, writes } = await withPod()
    const applied = await writer.apply(pods, manifest('new'), never)
    expect(applied).toMatchObject({ kind: 'changed', object: { metadata: { name: 'new' } } })
    const [{ query, headers }] = writes() as [ReturnType<typeof writes>[0]]
    expect(headers['content-type']).toBe('application/apply-patch+yaml')
    expect([query.get('fieldManager'), query.get('force')]).toEqual(['holdfast', 'false'])
  })

  it('names the field manager that owns a field in conflict', async () => {
    const { writer, api } = await withPod()
    const words = 'Apply failed with 1 conflict: conflict with "kubectl": .spec.x'
    api.failNext(1, (_, response) => void status(response, 409, 'Conflict', words))
    expect(await writer.apply(pods, manifest(), never)).toEqual({ kind: 'conflict', reason: words })
  })
})

describe('read', () => {
  it('gives the object as it is, or nothing', async () => {
    const { cluster, target } = await withPod()
    expect((await cluster.reader.read(pods, target, never))?.metadata.uid).toBe(target.uid)
    expect(await cluster.reader.read(pods, { name: 'none', namespace: 'ci' }, never)).toBeUndefined()
  })

  it('is asked again where the server is not well, up to a bound', async () => {
    const { cluster, target, api, writes } = await withPod()
    api.faults.push((_, response) => void status(response, 503, 'ServiceUnavailable', 'starting'))
    expect(await codeOf(cluster.reader.read(pods, target, never))).toEqual(['E_CLUSTER_UNREACHABLE', false])
    expect(writes()).toHaveLength(5)
  })

  it('ends with its caller’s reason', async () => {
    const { cluster, target, api } = await withPod()
    const stop = new AbortController()
    api.faults.push(() => {
      stop.abort(new Error('enough'))
      return false
    })
    await expect(cluster.reader.read(pods, target, stop.signal)).rejects.toThrow('enough')
  })

  it('does not wait for a server that says nothing', async () => {
    const clock = hurriedClock(400)
    const { cluster, api } = await bench({ clock })
    api.faults.push(() => false)
    const before = clock.now()
    const error = await cluster.reader
      .read(pods, { name: 'a', namespace: 'ci' }, never)
      .catch((thrown) => thrown)
    expect(String(error)).toContain('no answer within 30000 ms')
    expect(clock.now() - before).toBeLessThan(120_000)
  })

  it.each([
    ['a page of a proxy', '<html>login</html>'],
    ['something that is no object', '[]'],
  ])('of %s is an error with the reason', async (_, text) => {
    const { cluster, target, api } = await withPod()
    api.faults.push((__, response) => void response.end(text))
    expect(await codeOf(cluster.reader.read(pods, target, never))).toEqual(['E_CLUSTER_ANSWER', undefined])
  })
})

describe('credentials that the server does not take any more', () => {
  it('are replaced once, for reads and for writes', async () => {
    let token = 1
    const { api, cluster } = await bench({
      credentials: {
        authenticate: async () => ({ authorization: `Bearer t-${token}`, tls: {} }),
        invalidate: () => {
          token += 1
        },
      },
    })
    api.faults.push(({ headers }, response) => {
      if (headers.authorization === 'Bearer t-2') return true
      status(response, 401, 'Unauthorized', 'Unauthorized')
      return false
    })
    expect(await cluster.writer.create(pods, manifest(), never)).toMatchObject({ kind: 'created' })
    token = 5
    expect(await codeOf(cluster.reader.read(pods, { name: 'a', namespace: 'ci' }, never))).toEqual([
      ...['E_CLUSTER_REFUSED', undefined],
    ])
    expect(api.requests).toHaveLength(4)
  })
})
