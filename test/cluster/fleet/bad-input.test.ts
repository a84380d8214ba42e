import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../index.ts'
import { until } from '../machine/until.ts'
import { askAbout } from './ask-about.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const soonMs = 60_000
const base = '/apis/holdfast.dev/v1alpha1/namespaces/bad/runnerpools'
const pods = '/api/v1/namespaces/bad/pods'
const kinds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/runnerpools.holdfast.dev'
const merge = 'application/merge-patch+json'
const quick = { idleTimeoutSeconds: 2 }
const runner = (over: object) => ({ template: { spec: { containers: [{ name: 'runner', ...over }] } } })

/** Templates that contradict what a runner is. */
const conflicting: readonly [string, RegExp, object][] = [
  ['removes the runner', /runner/, runner({ $patch: 'delete' })],
  ['starts it again and again', /restartPolicy/, { template: { spec: { restartPolicy: 'Always' } } }],
  [
    'mounts the token into the job',
    /token/,
    runner({ volumeMounts: [{ name: 'holdfast-token', mountPath: '/stolen' }] }),
  ],
  [
    'gives the job the service account',
    /automountServiceAccountToken/,
    { template: { spec: { automountServiceAccountToken: true } } },
  ],
  [
    'has a container that outlives the job',
    /initContainers/,
    { template: { spec: { containers: [{ name: 'sidecar', image: 'holdfast.test/busybox:1' }] } } },
  ],
  [
    'has a megabyte of annotations',
    /annotations/,
    { template: { metadata: { annotations: { big: big(1_000_000) } } } },
  ],
  ['opens at a time that does not exist', /cron/, { warmWindows: [window('0 8 31 feb *')] }],
]

function big(chars: number): string {
  return 'x'.repeat(chars)
}

function window(cron: string) {
  return { cron, durationMinutes: 10, minWarm: 1 }
}

describe('what people get wrong in pools and do to pods, on a real cluster', () => {
  let world: World
  let about: ReturnType<typeof askAbout>
  beforeAll(async () => {
    world = await openWorld('bad')
    about = askAbout(world)
    await (await world.holdfast()).serving
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const request = (...args: Parameters<Api['request']>) => world.cluster.api.request(...args)

  it.each(conflicting)(
    'a pool whose template %s says so, and serves its job when it is put right',
    async (_, words, wrong) => {
      const refused = await world.pool('wrong', { ...quick, ...wrong }).then(
        () => null,
        (error: Error) => error.message,
      )
      const job = await world.submit('exit 0', 'wrong')
      if (refused !== null) expect(refused).toMatch(words)
      else {
        const { message } = await about.shown('wrong')
        expect(message).toMatch(words)
      }
      await world.pool('wrong', quick)
      await settled(world)
      expect(await about.endOf(job)).toBe('success')
      await about.gone('wrong')
    },
  )

  it('a pool that would take the node or our account gets no pod and says who may allow it, and another works on', async () => {
    const spec = {
      hostNetwork: true,
      hostIPC: true,
      serviceAccountName: 'holdfast',
      containers: [{ name: 'runner', securityContext: { privileged: true } }],
      volumes: [{ name: 'evidence', hostPath: { path: '/var/lib/holdfast/agent' } }],
    }
    await world.pool('taking', { ...quick, minWarm: 1, template: { spec } })
    await world.pool('neighbour', quick)
    const { message } = await about.shown('taking', 'InvalidSpec')
    for (const name of ['hostNetwork', 'hostIPC', 'privileged', 'hostPath', 'serviceAccounts']) {
      expect(message).toContain(`fleet.allow names "${name}" there`)
    }
    expect(message).toContain('got "/var/lib/holdfast/agent"')
    const job = await world.submit('exit 0', 'neighbour')
    await settled(world)
    expect(await about.endOf(job)).toBe('success')
    const made = (await world.rows.runners()).filter(({ pool }) => pool === 'taking')
    expect(made).toEqual([])
    await about.gone('taking')
    await about.gone('neighbour')
  })

  it('pools that no API server checked are shown as wrong, and disturb no other', async () => {
    const name = `too-long-${big(60)}`
    expect(await world.pool(name).catch((error: Error) => error.message)).toMatch(/metadata.name/)
    const strict = (await request('GET', kinds)).body.spec.versions
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const loose = strict.map((version: object) => ({ ...version, schema: { openAPIV3Schema: anything } }))
    await request('PATCH', kinds, { spec: { versions: loose } }, merge)
    const object = (pool: string, spec?: unknown) => ({
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'RunnerPool',
      metadata: { name: pool },
      ...(spec !== undefined && { spec }),
    })
    const malformed = [
      [name, { labels: ['x'], image: 'x' }],
      ['no-spec', undefined],
      ['a-text', 'spec'],
      ['crossed', { labels: ['crossed'], image: 'x', minWarm: 9, maxRunners: 1 }],
      ['no-labels', { labels: 7, image: ['x'], maxRunners: -1 }],
    ] as const
    for (const [pool, spec] of malformed) {
      await until(`${pool} gets past the API server`, soonMs, async () => {
        return (await request('POST', base, object(pool, spec))).status === 201
      })
    }
    for (const [pool] of malformed) {
      const { message } = await about.shown(pool, 'InvalidSpec')
      expect(message).toMatch(/expected/)
    }
    await world.pool('good', quick)
    const job = await world.submit('exit 0', 'good')
    await settled(world)
    expect(await about.endOf(job)).toBe('success')
    for (const [pool] of malformed) await about.gone(pool)
    await about.gone('good')
    await request('PATCH', kinds, { spec: { versions: strict } }, merge)
    await until('the API server checks again', soonMs, async () => {
      if ((await request('POST', base, object('crossed', malformed[3][1]))).status === 422) return true
      await about.gone('crossed')
      return false
    })
  })

  it('a status and finalizers that somebody edits by hand are put right', async () => {
    await world.pool('edited', { ...quick, minWarm: 1 })
    await about.idle('edited')
    const lies = { status: { idle: 99, busy: 7, conditions: null } }
    expect((await request('PATCH', `${base}/edited/status`, lies, merge)).status).toBe(200)
    await until('the status is true again', soonMs, async () => {
      const { status } = await world.readPool('edited')
      return status.idle === 1 && status.busy === 0 && status.conditions?.length === 3
    })
    await request('PATCH', `${base}/edited`, { metadata: { finalizers: null } }, merge)
    await until('the pool is held again', soonMs, async () =>
      (await world.readPool('edited')).metadata.finalizers?.includes('holdfast.dev/pool'),
    )
    const refused = await request(
      'PATCH',
      `${base}/edited`,
      { metadata: { annotations: { big: big(1_000_000) } } },
      merge,
    )
    expect(refused.status).toBe(422)
    await about.gone('edited')
    await settled(world)
  })

  it('a pool that is torn out with its finalizer, amid a job, leaves nothing behind', async () => {
    await world.pool('torn', quick)
    await world.pool('other', quick)
    const job = await world.submit('sleep 5', 'torn')
    await about.jobRuns()
    await world.removePool('torn')
    await request('PATCH', `${base}/torn`, { metadata: { finalizers: null } }, merge)
    await settled(world)
    expect(await about.endOf(job)).toBe('success')
    await about.gone('other')
  })

  it('idle pods that people delete or strip are replaced, and each has its record', async () => {
    await world.pool('touched', { ...quick, minWarm: 1 })
    const deleted = await about.idle('touched')
    await request('DELETE', `${pods}/${deleted}`)
    await until('another is there', soonMs, async () => (await world.rows.runner(deleted))?.ended)
    const stripped = await about.idle('touched')
    const strip = { metadata: { finalizers: null, annotations: { big: big(200_000) } } }
    expect((await request('PATCH', `${pods}/${stripped}`, strip, merge)).status).toBe(200)
    await request('DELETE', `${pods}/${stripped}?gracePeriodSeconds=0`)
    await until('its end is known', soonMs, async () => (await world.rows.runner(stripped))?.ended)
    const job = await world.submit('exit 0', 'touched')
    await settled(world, { warm: 1 })
    expect(await about.endOf(job)).toBe('success')
    for (const name of [deleted, stripped]) expect(await world.rows.deaths(name)).toBe(1)
    await about.gone('touched')
  })
})
