import { describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../sim/world/disk.ts'
import { plainWebhooks } from '../../sim/world/twins.ts'
import { createControlBench } from '../../test/support/control-bench.ts'
import { declaredPools } from '../../test/support/declared-pools.ts'
import { createDiskHeadroom } from '../controllers/ledger/disk/index.ts'
import type { ReapMode } from '../controllers/remedy/reap/index.ts'
import { type ControlSettings, controlLoops, loopNames } from './index.ts'

const settings: ControlSettings = {
  installation: 'sim',
  recoveryTickMs: 1,
  redeliverEveryMs: 2,
  auditEveryMs: 3,
  startDeadlineMs: 5,
  stopGraceMs: 6,
  archiveAfterMs: 8,
  keepMs: 9,
}

const reapMode: ReapMode = {
  mode: 'observe',
  sets: null,
  namespaces: null,
  isStaleGeneration: false,
  minAgeMs: 1,
  everyMs: 4,
}

describe('the control loops', () => {
  it('have the names that metrics declare, and the intervals of the settings', async () => {
    const bench = await createControlBench()
    const webhooks = plainWebhooks('sim')
    const deps = { ...bench, redelivery: bench.memory, webhooks, settings }
    const sink = { name: 'nowhere', write: async () => {} }
    const disk = { disk: createMemoryDisk(1).disk, headroom: createDiskHeadroom(bench.clock) }
    const reap = { ...reapMode, open: () => Promise.reject(new Error('it is not opened here')) }
    const loops = controlLoops({ ...deps, pools: declaredPools(), sink, disk, reap })
    expect(loops.map(({ name }) => name)).toEqual(loopNames)
    const pauses = Object.fromEntries(loops.map(({ name, resyncMs }) => [name, resyncMs]))
    expect(pauses).toMatchObject({ recovery: 1, redeliver: 2, audit: 3, 'remedy-reap': 4 })
  })

  it('leave out those of declared pools, of a sink, of a disk and of the reaper where there are none', async () => {
    const bench = await createControlBench()
    const webhooks = plainWebhooks('sim')
    const loops = controlLoops({ ...bench, redelivery: bench.memory, webhooks, settings, pools: null })
    const left = ['pool-sync', 'pool-status', 'disk', 'ship-records', 'remedy-reap']
    expect(loops.map(({ name }) => name)).toEqual(loopNames.filter((name) => !left.includes(name)))
  })
})
