import { describe, expect, it } from 'vitest'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import { status } from '../testing/api-server.ts'
import { bench, untilTestEnds } from '../testing/bench.ts'
import { createEvents } from './events.ts'

const EVENTS_PATH = '/api/v1/namespaces/ci/events'

async function told() {
  const made = await bench()
  const { api, cluster, clock, log } = made
  const uidOf = ({ kind }: FleetEvent['about']) => (kind === 'pool' ? 'uid-of-pool' : undefined)
  const events = createEvents({ namespace: 'ci', writer: () => cluster.writer, uidOf, clock, log })
  untilTestEnds((signal) => events.run(signal))
  const tell = (over: Partial<FleetEvent> = {}) =>
    events.tell({
      ...{
        about: { kind: 'pool', name: 'linux' },
        type: 'Warning',
        reason: 'ImagePull',
        message: 'no image',
      },
      ...{ at: clock.now(), ...over },
    })
  return { ...made, tell, all: () => api.truth.objects(EVENTS_PATH) }
}

describe('Events of the fleet', () => {
  it('stand where people look for them', async () => {
    const { tell, all } = await told()
    tell()
    await expect.poll(all).toHaveLength(1)
    expect(all()[0]).toMatchObject({
      ...{ type: 'Warning', reason: 'ImagePull', message: 'no image', count: 1 },
      involvedObject: {
        ...{ apiVersion: 'holdfast.dev/v1alpha1', kind: 'RunnerPool', name: 'linux', namespace: 'ci' },
        uid: 'uid-of-pool',
      },
      source: { component: 'holdfast' },
    })
    tell({ about: { kind: 'runner', name: 'linux-0a1b2c3d' } })
    await expect.poll(all).toHaveLength(2)
    expect(all().find(({ metadata }) => metadata.name.startsWith('linux-0a1b2c3d.'))).toMatchObject({
      ...{ involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'linux-0a1b2c3d' } },
    })
  })

  it('are counted in one object where they repeat', async () => {
    const { api, tell, all } = await told()
    tell()
    await expect.poll(all).toHaveLength(1)
    for (let n = 0; n < 20; n += 1) tell({ message: `the ${n}th` })
    await expect.poll(() => all()[0]?.count, { timeout: 5_000 }).toBe(21)
    expect(all()).toMatchObject([{ message: 'the 19th' }])
    expect(api.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH'])
  })

  it('are made anew where somebody removed them', async () => {
    const { api, tell, all } = await told()
    tell()
    await expect.poll(all).toHaveLength(1)
    api.truth.remove(EVENTS_PATH, all()[0]?.metadata.name ?? '')
    tell()
    await expect.poll(all, { timeout: 5_000 }).toMatchObject([{ count: 2 }])
  })

  it('cost nothing but themselves where they cannot be written', async () => {
    const { api, log, tell, all } = await told()
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', 'no events for you'))
    tell()
    await expect.poll(() => log.lines).toEqual(['debug an Event is lost'])
    tell({ reason: 'QuotaExceeded' })
    await expect.poll(all).toHaveLength(1)
  })
})
