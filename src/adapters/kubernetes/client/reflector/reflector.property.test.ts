import { setTimeout as sleep } from 'node:timers/promises'
import { array, assert, asyncProperty, constant, constantFrom, integer, oneof, record } from 'fast-check'
import { expect, it } from 'vitest'
import { type ApiServer, eventLine, status } from '../testing/api-server.ts'
import { bench, type FakePod, hurriedClock, podPath, pods } from '../testing/bench.ts'
import type { HistoryEvent } from '../testing/truth.ts'

const runs = 60
const stepsMax = 40

const name = constantFrom('a', 'b', 'c', 'd', 'e')
const act = oneof(
  { weight: 6, arbitrary: record({ kind: constant('put'), name }) },
  { weight: 3, arbitrary: record({ kind: constant('remove'), name }) },
  { weight: 2, arbitrary: record({ kind: constant('repeat'), back: integer({ min: 1, max: 8 }) }) },
  { weight: 3, arbitrary: record({ kind: constant('wait'), ms: integer({ min: 1, max: 8 }) }) },
  {
    weight: 6,
    arbitrary: record({
      kind: constantFrom(
        'swap',
        'end',
        'destroy',
        'truncate',
        'garble',
        'bookmark',
        'forget',
        'tick',
        'fail',
        'throttle',
      ),
    }),
  },
)
type Act = typeof act extends { generate: (...given: never[]) => { value: infer V } } ? V : never

it('the cache ends equal to the cluster, however watch events were cut, repeated, swapped, garbled or lost', async () => {
  await assert(
    asyncProperty(array(act, { maxLength: stepsMax, size: 'max' }), async (acts) => {
      const { api, cluster } = await bench({ clock: hurriedClock(200) })
      const stop = new AbortController()
      const view = cluster.view<FakePod>({
        kind: pods,
        namespace: 'ci',
        transform: (object) => object as unknown as FakePod,
      })
      const copy = new Map<string, string>()
      const newest = new Map<string, number>()
      const backwards: string[] = []
      view.onChange(({ kind, key, object }) => {
        const version = Number(object.metadata.resourceVersion)
        const before = newest.get(key) ?? 0
        if (kind === 'removed' ? version < before || !copy.delete(key) : version <= before) {
          backwards.push(`${kind} ${key}: from ${before} to ${version}`)
        }
        if (kind !== 'removed') copy.set(key, object.metadata.resourceVersion)
        newest.set(key, version)
      })
      const running = view.run(stop.signal)
      await expect.poll(() => api.watches.size, { interval: 1 }).toBe(1)
      const { play, sendHeld } = player(api)
      for (const each of acts) {
        await play(each)
        await sleep(1)
      }
      api.faults.length = 0
      sendHeld()
      const truth = () => versionsOf(api.truth.objects(podPath))
      await expect.poll(() => versionsOf(view.list().value), { timeout: 5_000, interval: 5 }).toEqual(truth())
      // The changes that were reported one by one add up to the content of the view.
      expect([...copy].sort()).toEqual(truth())
      expect(backwards).toEqual([])
      expect(view.freshness().isWhole).toBe(true)
      stop.abort()
      await running
    }),
    { numRuns: runs, endOnFailure: false },
  )
}, 120_000)

function versionsOf(objects: readonly { readonly metadata: FakePod['metadata'] }[]): [string, string][] {
  const pairs = objects.map(
    ({ metadata }) => [`ci/${metadata.name}`, metadata.resourceVersion] as [string, string],
  )
  return pairs.sort()
}

/** Plays one act after the other; an event that is held back to be swapped goes out after the next one. */
function player(api: ApiServer) {
  const sent: HistoryEvent[] = []
  let held: HistoryEvent | null = null
  let isSwapping = false
  api.deliver = (event) => {
    if (isSwapping && held === null) {
      held = event
      return []
    }
    const events = held === null ? [event] : [event, held]
    held = null
    isSwapping = false
    sent.push(...events)
    return events
  }
  const sendHeld = () => {
    if (held !== null) api.send(podPath, eventLine(held.type, held.object))
    held = null
    isSwapping = false
  }
  const failOnce = (code: number, headers = {}) =>
    api.failNext(1, (_, response) => void status(response, code, 'Fault', 'not now', headers))
  const play = async (each: Act) => {
    const { kind } = each
    if (kind === 'put') api.truth.put(podPath, each.name, { metadata: { namespace: 'ci' } })
    if (kind === 'remove') api.truth.remove(podPath, each.name)
    if (kind === 'repeat') {
      const old = sent.at(-each.back)
      if (old !== undefined) api.send(podPath, eventLine(old.type, old.object))
    }
    if (kind === 'wait') await sleep(each.ms)
    if (kind === 'swap') isSwapping = true
    if (kind === 'garble') api.send(podPath, '{"type":\n')
    if (kind === 'truncate') api.send(podPath, '{"type":"MODIF')
    if (kind === 'tick') api.truth.tick()
    if (kind === 'fail') failOnce(503)
    if (kind === 'throttle') failOnce(429, { 'retry-after': '1' })
    if (kind === 'bookmark') {
      sendHeld()
      api.bookmark(podPath)
    }
    if (kind === 'forget') {
      api.truth.tick()
      api.truth.compact()
    }
    if (kind === 'end' || kind === 'destroy' || kind === 'truncate' || kind === 'forget') {
      held = null
      api.cut(kind === 'end' ? 'end' : 'destroy')
    }
  }
  return { play, sendHeld }
}
