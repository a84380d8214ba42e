import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { arcGround } from '../../../../test/support/arc-ground.ts'
import { ask } from '../../../../test/support/embedded.ts'
import { createDatabase } from '../../../../test/support/postgres.ts'
import { forgeToken } from '../../../../test/support/remedy-ground.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import type { ReapOrder } from '../../../cli/index.ts'
import { createBase } from '../../base.ts'
import { openRemedyStore } from '../../remedy-store/index.ts'
import { readTrail, reap } from './index.ts'

const never = new AbortController().signal

/** A cluster, a forge and a data folder, and the command on them. */
async function ground(database: Readonly<Record<string, string>> = {}) {
  const made = await arcGround(database)
  const order: ReapOrder = {
    scope: {
      sets: [{ namespace: 'arc-runners', name: 'arc-demo' }],
      namespaces: null,
      isStaleGeneration: false,
      minAgeMs: 0,
    },
    apply: null,
    isUnattended: false,
    controllerNamespace: 'arc-systems',
    kubeconfig: made.kubeconfig,
    context: undefined,
  }
  const run = (given: Partial<ReapOrder> = {}) => reap(made.config, { ...order, ...given }, never)
  return { ...made, order, run }
}

describe('holdfast reap on a cluster and a forge', () => {
  it('plans first and changes nothing; with the hash it removes exactly that, proves it, and the trail holds', async () => {
    const { config, dataDir, run, left, api } = await ground()
    const before = left()
    const { state, hash, plan } = await run()
    expect([state, plan.objects.length, left()]).toEqual(['planned', 1, before])
    expect(api.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    const { run: applied, state: end, head } = await run({ apply: hash })
    expect([end, applied?.treated]).toEqual(['done', plan.objects.map(({ name }) => `arc-runners/${name}`)])
    expect(left()).toEqual(before.filter((name) => name !== plan.objects[0]?.name))
    const trail = await readTrail(config, head, never)
    expect([trail.problems, trail.rows.at(-1)?.step]).toEqual([[], 'done'])
    const stored = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'))
    expect(stored.join('')).not.toContain(forgeToken)
  })

  it('applies nothing where the runner got a job after the plan', async () => {
    const { run, left, busy } = await ground()
    const { hash, plan } = await run()
    busy.add(plan.objects[0]?.name ?? '')
    expect(await run({ apply: hash })).toMatchObject({ state: 'aborted' })
    expect(left()).toHaveLength(2)
  })

  it('applies nothing by a hash that nobody planned, a plan that was edited, or a plan that was used', async () => {
    const { run, left, dataDir } = await ground()
    const { hash } = await run()
    await expect(run({ apply: 'f'.repeat(64) })).rejects.toMatchObject({ code: 'E_PLAN_UNKNOWN' })
    const file = join(dataDir, 'remedies', 'plans', `${hash}.json`)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('"isStaleGeneration": false', '"isStaleGeneration": true'))
    await expect(run({ apply: hash })).rejects.toMatchObject({ code: 'E_PLAN_DAMAGED' })
    expect(left()).toHaveLength(2)
    writeFileSync(file, text)
    expect(await run({ apply: hash })).toMatchObject({ state: 'done' })
    expect(await run({ apply: hash })).toMatchObject({ state: 'blocked' })
  })

  it('does both in one run where nobody watches, and says so in the trail', async () => {
    const { run, config } = await ground()
    expect(await run({ isUnattended: true })).toMatchObject({ state: 'done' })
    const { rows } = await readTrail(config, null, never)
    expect(new Set(rows.map(({ actor }) => actor.kind))).toEqual(new Set(['controller']))
  })

  it('does nothing on a trail that was changed', async () => {
    const { run, left, dataDir } = await ground()
    const { hash } = await run()
    const file = join(dataDir, 'remedies', 'trail.jsonl')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"person"', '"token"'))
    await expect(run({ apply: hash })).rejects.toMatchObject({ code: 'E_TRAIL_BROKEN' })
    expect(left()).toHaveLength(2)
  })

  it('is refused without a credential of the forge', async () => {
    const { configOf, order, api } = await ground()
    await expect(reap(configOf({}), order, never)).rejects.toMatchObject({ code: 'E_REMEDY_FORGE' })
    expect(api.requests).toEqual([])
  })

  it('runs once at a time on a data folder', async () => {
    const { run } = await ground()
    const both = await Promise.allSettled([run(), run()])
    const refused = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(refused.map(({ code }) => code)).toEqual(['E_REMEDY_BUSY'])
  })
})

describe('holdfast reap where a database is set', () => {
  async function inLedger() {
    const database = await createDatabase()
    onTestFinished(() => database.drop())
    return { database, ...(await ground({ DATABASE_URL: database.programUrl })) }
  }

  it('keeps plan and trail in the ledger, says so, and writes no file', async () => {
    const { database, config, dataDir, run, left } = await inLedger()
    const { hash, store, place } = await run()
    expect([store, place]).toEqual(['ledger', expect.stringMatching(/^the ledger 127\.0\.0\.1:\d+\/test_/)])
    const { state, head } = await run({ apply: hash })
    expect([state, left()]).toEqual(['done', expect.objectContaining({ length: 1 })])
    expect(await run({ apply: hash })).toMatchObject({ state: 'blocked' })
    const trail = await readTrail(config, head, never)
    expect([trail.problems, trail.store, trail.rows.length]).toEqual([[], 'ledger', head.count + 1])
    expect(readdirSync(dataDir)).toEqual([])
    const stored = await ask(
      database.url,
      'select entry::text as text from remedy_trail union all select plan::text from remedy_plans',
    )
    expect(JSON.stringify(stored)).not.toContain(forgeToken)
  })

  it('does nothing on a trail that a superuser changed, and names the row', async () => {
    const { database, run, left, config } = await inLedger()
    const { hash, head } = await run()
    await ask(
      database.url,
      `begin; set local session_replication_role = replica;
       update remedy_trail set entry = replace(entry::text, '"person"', '"token"')::json where number = ${head.count};
       commit`,
    )
    await expect(run({ apply: hash })).rejects.toMatchObject({ code: 'E_TRAIL_BROKEN' })
    expect(left()).toHaveLength(2)
    const { problems } = await readTrail(config, null, never)
    expect(problems).toEqual([expect.stringContaining(`row ${head.count} was changed`)])
  })

  it('runs once at a time on a database, from whatever machine', async () => {
    const { config, run } = await inLedger()
    const other = untilTestEnds(await openRemedyStore(createBase(config), never))
    const lock = await other.lock()
    await expect(run()).rejects.toMatchObject({ code: 'E_REMEDY_BUSY' })
    await lock[Symbol.asyncDispose]()
    expect(await run()).toMatchObject({ state: 'planned' })
  })

  it('migrates nothing: it says that the schema is older', async () => {
    const { database, run, left, config } = await inLedger()
    await ask(
      database.url,
      'delete from schema_migrations where version = (select max(version) from schema_migrations)',
    )
    await expect(run()).rejects.toMatchObject({ code: 'E_LEDGER_OLDER' })
    await expect(readTrail(config, null, never)).rejects.toMatchObject({ code: 'E_LEDGER_OLDER' })
    expect(left()).toHaveLength(2)
  })
})
