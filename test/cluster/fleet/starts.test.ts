import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const shownWithinMs = 120_000
const goodSpec = { idleTimeoutSeconds: 2 }
/** A start that comes to nothing is given up after seconds instead of minutes. */
const hurried = {
  ...goodSpec,
  provisioning: { startDeadlineSeconds: 20, unschedulableDeadlineSeconds: 10 },
}

describe('a runner that cannot start on a real node', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld('starts')
    await (await world.holdfast()).serving
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  /** Waits until the pool says why it does not serve its job. */
  function degraded(pool: string, reason: string) {
    return until(`pool ${pool} is degraded: ${reason}`, shownWithinMs, async () => {
      const { status } = await world.readPool(pool)
      return status?.conditions?.find(
        (condition: { type: string; status: string; reason: string }) =>
          condition.type === 'Degraded' && condition.status === 'True' && condition.reason === reason,
      )
    })
  }

  it.each([
    ['image', 'an image that does not exist', 'ImagePull', { image: 'holdfast.test/nothing:1' }],
    ['program', 'a program that is not there', 'ConfigError', { command: ['/no/such/program'] }],
    [
      'configuration',
      'a configuration that is not there',
      'ConfigError',
      {
        template: {
          spec: {
            containers: [
              {
                name: 'runner',
                env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a' } } }],
              },
            ],
          },
        },
      },
    ],
    ['typo', 'a field that no pod has', 'TemplateRefused', { template: { spec: { tolerationz: [] } } }],
    ['size', 'more than any node has', 'NoHealthyNode', { resources: { requests: { cpu: '900' } } }],
    [
      'place',
      'a node that is not there',
      'NoHealthyNode',
      { template: { spec: { nodeSelector: { no: 'where' } } } },
    ],
  ])(
    '%s: for %s is shown on its pool, and its job runs when that is put right',
    async (word, _, reason, wrong) => {
      const name = `wrong-${word}`
      await world.pool(name, { ...hurried, ...wrong })
      const job = await world.submit('exit 0', name)
      const condition = await degraded(name, reason)
      expect(condition.message).toMatch(/\w+ .*\./)
      await world.pool(name, hurried)
      await settled(world)
      const row = (await world.rows.jobs()).find(({ forgeJobId }) => forgeJobId === job)
      expect(row?.requeues, 'no runner had claimed it before').toBe(0)
      await world.removePool(name)
      await until(
        'the pool is gone',
        shownWithinMs,
        async () => (await world.readPool(name)).kind === 'Status',
      )
    },
  )

  it('is reported in an event on its pod, by its UID', async () => {
    await world.pool('reported', { ...hurried, command: ['/no/such/program'] })
    await world.submit('exit 0', 'reported')
    const path = '/api/v1/namespaces/starts/events?fieldSelector=involvedObject.kind=Pod,reason=ConfigError'
    const event = await until('an event reports it', shownWithinMs, async () =>
      (await world.cluster.api.request('GET', path)).body.items.find(
        ({ involvedObject }: { involvedObject: { name: string } }) =>
          involvedObject.name.startsWith('reported-'),
      ),
    )
    expect(event).toMatchObject({
      involvedObject: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      message: expect.stringContaining('/no/such/program'),
    })
    await world.pool('reported', hurried)
    await settled(world)
  })

  it('for a quota waits until there is room, and says so', async () => {
    const quotas = '/api/v1/namespaces/starts/resourcequotas'
    await world.cluster.api.request('POST', quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few' },
      spec: { hard: { pods: '2' } },
    })
    await world.pool('quota', { ...goodSpec, maxRunners: 8 })
    const jobs = await Promise.all(Array.from({ length: 6 }, () => world.submit('sleep 2', 'quota')))
    await degraded('quota', 'QuotaExceeded')
    await settled(world)
    const { jobs: truth } = await world.forge.truth()
    expect(jobs.map((id) => truth.find((job) => job.id === id)?.conclusion)).toEqual(
      jobs.map(() => 'success'),
    )
    await world.cluster.api.request('DELETE', `${quotas}/few`)
  })
})
