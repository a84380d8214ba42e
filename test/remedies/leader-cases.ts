import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../cluster/machine/until.ts'
import type { Bench, Case } from './cases.ts'
import { type Json, runnersPath } from './ground.ts'
import { type Leader, withLeaders } from './leader-bench.ts'

const soonMs = 60_000
/** A leader looks at once. */
const triesWithinMs = 3_000

/** `remedies.reap` of `holdfast up`, with the rights that docs/remedies.md names. */
export const leaderCases: Readonly<Record<string, Case>> = {
  'the leader observes: it plans and notes as the controller, and removes nothing': withLeaders(
    async (ground, bench) => {
      await ground.age(ground.names)
      const leader = await ground.lead('observe')
      const { mode, state, planned, removed } = await leader.looked()
      assert.deepEqual(
        { mode, state, planned, removed },
        { mode: 'observe', state: 'planned', planned: 1, removed: 0 },
      )
      assert.deepEqual(await stepsOf(leader), ['classified', 'evidence-sealed', 'planned'])
      bench.say(await leader.verify())
      assert.deepEqual(await ground.left(), ground.names)
    },
  ),

  'the leader applies: the idle runner goes; by the word of either source, or by its age, each other stays':
    withLeaders(async (ground, bench) => {
      const [idle = '', busyAtForge = ''] = ground.names
      const withJob = await ground.add('arc-demo-f8frp-runner-job', { jobRequestId: 7 })
      const young = await ground.add('arc-demo-f8frp-runner-young', {})
      bench.forge.busy.add(busyAtForge)
      await ground.age([idle, busyAtForge, withJob])
      const leader = await ground.lead('apply')
      const { mode, state, planned, removed } = await leader.looked()
      assert.deepEqual(
        { mode, state, planned, removed },
        { mode: 'apply', state: 'done', planned: 1, removed: 1 },
      )
      assert.deepEqual([...(await ground.left())].sort(), [busyAtForge, withJob, young].sort())
      const ends = ['approved', 're-checked', 'acted', 'verified', 'done']
      assert.deepEqual(await stepsOf(leader), ['classified', 'evidence-sealed', 'planned', ...ends])
      bench.say(await leader.verify())
    }),

  'the leader is killed after its act: the other one of two on one Postgres goes on, on one chain':
    withLeaders(async (ground, bench) => {
      const shared = await ground.onePostgres()
      const more = await ground.add('arc-demo-f8frp-runner-more', {})
      await ground.age([...ground.names, more])
      const held = holdFirst(bench)
      const first = await ground.lead('apply', shared)
      const name = await until('the first deletion', soonMs, () => deletedOf(bench))
      assert.equal(name, held())
      const second = await ground.lead('apply', shared)
      await second.serves()
      await sleep(triesWithinMs)
      assert.doesNotMatch(await second.life.log(), /the reaper waits/, 'it does not even try')
      assert.deepEqual([await first.looks(), await second.looks()], [[], []])
      first.life.signal('SIGKILL')
      const { state, planned, removed } = await second.looked()
      assert.deepEqual({ state, planned, removed }, { state: 'done', planned: 1, removed: 1 })
      bench.forge.busy.clear()
      await until('the job of the first has ended', soonMs, async () => (await ground.left()).length === 1)
      const rows = await second.trail()
      const acts = rows.filter(({ step }) => step === 're-checked').map(({ subject }) => subject)
      assert.equal(new Set(acts).size, 2, JSON.stringify(acts))
      assert.equal(acts.length, 2, JSON.stringify(acts))
      assert.equal(rows.filter(({ step }) => step === 'approved').length, 2)
      bench.say(await second.verify())
    }),
}

/** The steps of the trail; every one of them is the controller's. */
async function stepsOf({ trail }: Leader): Promise<readonly string[]> {
  const rows = await trail()
  assert.deepEqual(new Set(rows.map(({ actor }) => actor.kind)), new Set(['controller']))
  return rows.map(({ step }) => step)
}

/** The first runner that is looked at again gets a job in that moment: its deletion waits for the job's end. */
function holdFirst({ forge }: Bench): () => string | undefined {
  const asked = new Set<string>()
  let held: string | undefined
  forge.onAnswered = (name) => {
    if (!forge.registered.has(name) || held !== undefined) return
    if (asked.has(name)) {
      held = name
      forge.busy.add(name)
    }
    asked.add(name)
  }
  return () => held
}

async function deletedOf({ ground }: Bench): Promise<string | undefined> {
  const { items } = (await ground.cluster.api.request('GET', runnersPath)).body
  return items.find(({ metadata }: Json) => metadata.deletionTimestamp !== undefined)?.metadata.name
}
