import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { actsIn } from './acts.ts'
import { type InCluster, runInCluster, runnersNamespace } from './in-cluster.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const jobs = 10
const soonMs = 90_000
const settledWithinMs = 150_000

describe('Holdfast in the cluster, from deploy/holdfast.yaml as it is', () => {
  let world: World
  let holdfast: InCluster
  beforeAll(async () => {
    world = await openWorld(runnersNamespace)
    holdfast = await runInCluster(world)
  }, 400_000)
  afterAll(async () => {
    await holdfast?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  }, 300_000)

  it('runs two replicas as nobody special, and both take the operator’s one token', async () => {
    const pods = await holdfast.pods()
    expect(pods).toHaveLength(2)
    expect(pods.map(({ spec }) => spec.containers[0].securityContext)).toEqual(
      Array(2).fill({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      }),
    )
    const url = `http://127.0.0.1:${new URL(world.env.HOLDFAST_FLEET_SERVER_URL as string).port}`
    const statusWith = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, connection: 'close' }
      return (await fetch(`${url}/v1/about`, { headers })).status
    }
    const asked = Array.from({ length: 4 }, () => statusWith(holdfast.operatorToken)) // both replicas have their turn
    expect(await Promise.all(asked)).toEqual([200, 200, 200, 200])
    expect(await statusWith('a-token-of-nobody')).toBe(401)
  })

  it('loses no job where the replica that leads is torn out under load: the other one leads', async () => {
    const hostAliases = [{ ip: holdfast.service.clusterIp, hostnames: ['holdfast.holdfast.svc'] }]
    await world.pool('linux', { minWarm: 1, maxRunners: 3, template: { spec: { hostAliases } } })
    await actsIn(world).waiting('linux', 1).catch(withLogs)
    const submit = () => world.submit('sleep 2; echo done')
    const ids = await Promise.all(Array.from({ length: jobs }, submit))
    await until('some jobs run and some wait', soonMs, async () => {
      const { jobs: all } = await world.forge.truth()
      return (
        all.some(({ status }) => status === 'in_progress') && all.some(({ status }) => status === 'queued')
      )
    }).catch(withLogs)
    const before = await holdfast.leader()
    await holdfast.tear(before)
    ids.push(await submit())
    expect(await holdfast.leader(before)).not.toBe(before)
    await settled(world, { warm: 1 }, settledWithinMs).catch(withLogs)
    const truth = (await world.forge.truth()).jobs
    expect(truth.filter(({ id }) => ids.includes(id)).map(({ conclusion }) => conclusion)).toEqual(
      ids.map(() => 'success'),
    )
    await until('the torn replica is replaced', soonMs, async () => {
      const ready = (await holdfast.pods()).filter(({ status }) =>
        status.conditions.some(
          ({ type, status: is }: Record<string, string>) => type === 'Ready' && is === 'True',
        ),
      )
      return ready.length === 2
    })
  })

  async function withLogs(error: Error): Promise<never> {
    throw new Error(`${error.message}\n${await holdfast.logs()}`)
  }
})
