import { describe, expect, it } from 'vitest'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import { status } from '../client/testing/api-server.ts'
import { bench, untilTestEnds } from '../client/testing/bench.ts'
import { createEvents } from './events.ts'

const eventsPath = '/api/v1/namespaces/ci/events'

async function runningEvents() {
  const made = await bench()
  const { api, cluster, clock, log } = made
  const uidOf = ({ kind }: FleetEvent['about']) => (kind === 'pool' ? 'uid-of-pool' : undefined)
  const events = createEvents({ namespace: 'ci', writer: () => cluster.writer, uidOf, clock, log })
  untilTestEnds((signal) => events.run(signal))
  const record = (over: Partial<FleetEvent> = {}) =>
    events.recordEvent({
      about: { kind: 'pool', name: 'linux' },
      type: 'Warning',
      reason: 'ImagePull',
      message: 'no image',
      at: clock.now(),
      ...over,
    })
  return { ...made, record, all: () => api.truth.objects(eventsPath) }
}

describe('Events of the fleet', () => {
  it('are attached to the pool or to the pod of the runner', async () => {
    const { record, all } = await runningEvents()
    record()
    await expect.poll(all).toHaveLength(1)
    expect(all()[0]).toMatchObject({
      type: 'Warning',
      reason: 'ImagePull',
      message: 'no image',
      count: 1,
      involvedObject: {
        apiVersion: 'holdfast.dev/v1alpha1',
        kind: 'RunnerPool',
        name: 'linux',
        namespace: 'ci',
        uid: 'uid-of-pool',
      },
      source: { component: 'holdfast' },
    })
    record({ about: { kind: 'runner', name: 'linux-0a1b2c3d' } })
    await expect.poll(all).toHaveLength(2)
    expect(all().find(({ metadata }) => metadata.name.startsWith('linux-0a1b2c3d.'))).toMatchObject({
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'linux-0a1b2c3d' },
    })
  })

  it('are counted in one object where they repeat', async () => {
    const { api, record, all } = await runningEvents()
    record()
    await expect.poll(all).toHaveLength(1)
    for (let n = 0; n < 20; n += 1) record({ message: `the ${n}th` })
    await expect.poll(() => all()[0]?.count, { timeout: 5_000 }).toBe(21)
    expect(all()).toMatchObject([{ message: 'the 19th' }])
    expect(api.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH'])
  })

  it('are made again where somebody removed them', async () => {
    const { api, record, all } = await runningEvents()
    record()
    await expect.poll(all).toHaveLength(1)
    api.truth.remove(eventsPath, all()[0]?.metadata.name ?? '')
    record()
    await expect.poll(all, { timeout: 5_000 }).toMatchObject([{ count: 2 }])
  })

  it('cost nothing but themselves where they cannot be written', async () => {
    const { api, log, record, all } = await runningEvents()
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', 'no events for you'))
    record()
    await expect.poll(() => log.lines).toEqual(['debug an Event is lost'])
    record({ reason: 'QuotaExceeded' })
    await expect.poll(all).toHaveLength(1)
  })
})
