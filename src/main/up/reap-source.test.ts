import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createMemoryLedger } from '../../../sim/world/ledger/index.ts'
import { arcGround } from '../../../test/support/arc-ground.ts'
import { ask } from '../../../test/support/embedded.ts'
import { recordedLog } from '../../../test/support/machine.ts'
import { createDatabase } from '../../../test/support/postgres.ts'
import { forgeToken } from '../../../test/support/remedy-ground.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { type ReapSource, reapLoop } from '../../controllers/remedy/reap/index.ts'
import { type Config, secretsOf } from '../../platform/config/index.ts'
import { createBase } from '../base.ts'
import { readTrail } from '../commands/remedy/index.ts'
import { reapSource } from './reap-source.ts'

const never = new AbortController().signal
const inCluster = {
  HOLDFAST_FLEET_KIND: 'kubernetes',
  HOLDFAST_FLEET_SERVER_URL: 'http://holdfast:8480',
  HOLDFAST_REMEDIES_REAP_MODE: 'apply',
  HOLDFAST_REMEDIES_REAP_SCALE_SETS: 'arc-runners/arc-demo',
}

const sourceOf = (config: Config) =>
  reapSource({ base: createBase(config), secrets: () => secretsOf(config) })

function loopOf(reap: ReapSource, config: Config) {
  const { clock, entropy } = createBase(config)
  const ledger = createMemoryLedger({ clock, entropy })
  const log = recordedLog()
  const metrics = { count() {}, set() {}, observe() {} }
  return { ledger, log, loop: reapLoop({ reap, ledger, installation: 'github', clock, log, metrics }) }
}

describe('the reaper that the settings ask for', () => {
  it('is none, unless it is set', async () => {
    const { config } = await arcGround()
    expect(config.remedies.reap.mode).toBe('off')
    expect(await sourceOf(config)).toBeNull()
  })

  it('removes on an API server, and the trail in the ledger says that it was the controller', async () => {
    const database = untilTestEnds(await createDatabase())
    const { config, dataDir, left } = await arcGround({ ...inCluster, DATABASE_URL: database.programUrl })
    const { loop, ledger } = loopOf((await sourceOf(config)) as ReapSource, config)
    await loop.pass(never)
    expect([left().length, await ledger.incidents(1)]).toEqual([1, []])
    const { rows, problems, store } = await readTrail(config, null, never)
    expect([problems, store, rows.at(-1)?.step]).toEqual([[], 'ledger', 'done'])
    expect(new Set(rows.map(({ actor }) => actor.kind))).toEqual(new Set(['controller']))
    const stored = await ask(database.url, 'select entry::text as text from remedy_trail')
    expect(JSON.stringify(stored)).not.toContain(forgeToken)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('removes nothing where it observes, and leaves a plan that a person can apply', async () => {
    const { config, left } = await arcGround({ ...inCluster, HOLDFAST_REMEDIES_REAP_MODE: 'observe' })
    const source = (await sourceOf(config)) as ReapSource
    await loopOf(source, config).loop.pass(never)
    expect(left()).toHaveLength(2)
    const { rows, store } = await readTrail(config, null, never)
    expect([store, rows.at(-1)?.step]).toEqual(['files', 'planned'])
    const opened = untilTestEnds(await source.open(never))
    expect((await opened.store.plans.read(rows.at(-1)?.plan ?? '')).objects).toHaveLength(1)
  })

  it('waits where a person runs a remedy', async () => {
    const { config, left } = await arcGround(inCluster)
    const source = (await sourceOf(config)) as ReapSource
    const other = untilTestEnds(await source.open(never))
    untilTestEnds(await other.store.lock())
    expect(await loopOf(source, config).loop.pass(never)).toEqual({
      kind: 'requeue-after',
      afterMs: 60_000,
    })
    expect(left()).toHaveLength(2)
  })

  it('is refused at the start where no forge can say whether a runner is busy', async () => {
    const { configOf } = await arcGround()
    const gitea = {
      HOLDFAST_FORGE_KIND: 'gitea',
      HOLDFAST_FORGE_URL: 'https://gitea.example',
      HOLDFAST_FORGE_TOKEN: 'x'.repeat(40),
      HOLDFAST_FORGE_WEBHOOK_SECRETS: 'x'.repeat(32),
    }
    await expect(sourceOf(configOf({ ...inCluster, ...gitea }))).rejects.toMatchObject({
      code: 'E_REMEDY_FORGE',
    })
  })
})
