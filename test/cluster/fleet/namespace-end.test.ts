import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import type { Life } from './holdfast.ts'
import { uninstallerOf } from './uninstaller.ts'
import { openWorld, type World } from './world.ts'

const manyPools = 75
const heldWithinMs = 120_000
const goneWithinMs = 150_000

describe.each(['lives', 'is dead'])('the end of a namespace with 75 pools while Holdfast %s', (how) => {
  let world: World
  let acts: Acts
  let life: Life
  let busy: string
  let namespacePath: string
  beforeAll(async () => {
    world = await openWorld(how === 'lives' ? 'end-alive' : 'end-dead')
    namespacePath = `/api/v1/namespaces/${world.namespace}`
    acts = actsIn(world)
    life = await world.holdfast()
    await life.serving
    for (let n = 0; n < manyPools - 1; n += 1) await world.pool(`many-${n}`)
    await world.pool('linux', { minWarm: 2, stopGraceSeconds: 5 })
    busy = (await acts.running('sleep 600', 'linux')).runner.name
    await acts.waiting('linux', 2)
    await until('the pools are held', heldWithinMs, async () => {
      const { items } = (await world.cluster.api.request('GET', world.poolsPath)).body
      return items.length === manyPools && items.every(isHeld)
    })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const isGone = async () => (await world.cluster.api.request('GET', namespacePath)).status === 404
  const holds = async () =>
    JSON.stringify((await world.cluster.api.request('GET', namespacePath)).body.status)

  it('comes within bounded time, and every runner has its record', async () => {
    if (how === 'is dead') {
      life.signal('SIGKILL')
      await life.exited
    }
    await world.cluster.api.request('DELETE', namespacePath)
    if (how === 'lives') await closes()
    else await uninstalled()
    await until('the namespace is gone', goneWithinMs, isGone).catch(async (error: Error) => {
      throw new Error(`${error.message}: ${await holds()}`)
    })
    const runners = await world.rows.runners()
    expect(runners.map(({ name }) => name)).toContain(busy)
    const rows = await until('all runners have ended', heldWithinMs, async () => {
      const found = await world.rows.runners()
      return found.every(({ ended }) => ended) && found
    })
    expect(rows.filter(({ record }) => record === null)).toEqual([])
    for (const { name } of rows) expect(await world.rows.deaths(name), name).toBe(1)
    const { record } = (await world.rows.runner(busy)) ?? {}
    // Where nobody watched, the kubelet's last word hides when the pod was asked to go; then that is said.
    if (how === 'lives') expect(record?.class).toBe('deleted')
    else if (record?.class !== 'deleted') {
      expect(record).toMatchObject({ class: 'terminated', confidence: 'likely' })
      expect(record.unknown.join()).toContain('whether its pod was asked to go before that')
    }
  }, 600_000)

  /** The deletion is an incident, and the readiness endpoint names the namespace. */
  async function closes(): Promise<void> {
    await until('an incident is open', heldWithinMs, async () => {
      const found = await world.rows.ask("select reason from incidents where kind = 'namespace-terminating'")
      return found.length > 0
    })
    const ready = await fetch(`${life.url}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain(`the namespace ${world.namespace} is being deleted`)
  }

  /** No Holdfast runs that would remove the finalizers: an administrator does. */
  async function uninstalled(): Promise<void> {
    const uninstall = uninstallerOf(world)
    const first = await uninstall('--yes')
    expect([0, 8]).toContain(first.code)
    const { code, report } = await uninstall('--yes', '--even-busy')
    expect(code, JSON.stringify(report)).toBe(0)
  }
})

const isHeld = ({ metadata }: { metadata: { finalizers?: string[] } }): boolean =>
  (metadata.finalizers?.length ?? 0) > 0
