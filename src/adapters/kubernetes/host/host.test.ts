import { describe, expect, it } from 'vitest'
import { bench } from '../client/testing/bench.ts'
import { readHostId } from './host-id.ts'
import { hostGround, never } from './testing/ground.ts'
import { aPlan } from './testing/plan.ts'

describe('a host of pods', () => {
  it('is known by its namespace, also after a restart', async () => {
    const { api, cluster } = await bench()
    const { metadata } = api.truth.put('/api/v1/namespaces', 'ci')
    expect(await readHostId(cluster, 'ci', never)).toBe(`kubernetes:${metadata.uid}/ci`)
    await expect(readHostId(cluster, 'nowhere', never)).rejects.toMatchObject({
      code: 'E_CLUSTER_NAMESPACE_MISSING',
      message: expect.stringContaining('"nowhere"'),
    })
  })

  it('says how old each view is', async () => {
    const ages = new Map<string, number>()
    const metrics = {
      count: () => {},
      observe: () => {},
      set: (name: string, labels: object, value: number) => {
        ages.set(`${name} ${Object.values(labels)}`, value)
      },
    }
    const { host } = await hostGround({ metrics })
    host.measure()
    for (const kind of ['pods', 'nodes', 'quotas', 'warnings']) {
      expect(ages.get(`holdfast_cluster_view_age_seconds ${kind}`)).toBeGreaterThanOrEqual(0)
    }
  })

  it('returns another template hash for a pool that makes other pods', async () => {
    const { host, plans } = await hostGround()
    const before = host.template('linux')
    expect(before).toEqual(expect.any(String))
    plans.set('linux', aPlan({ image: 'runner:2' }))
    expect(host.template('linux')).not.toBe(before)
    expect(host.template('nowhere')).toBeNull()
    expect(await host.headroom('nowhere')).toEqual({ more: null, problem: null })
  })
})
