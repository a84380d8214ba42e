import { describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../sim/world/disk.ts'
import { plainWebhooks } from '../../sim/world/twins.ts'
import { createControlBench } from '../../test/support/control-bench.ts'
import { declaredPools } from '../../test/support/declared-pools.ts'
import { createRoom } from '../controllers/ledger/disk/index.ts'
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

describe('the control loops', () => {
  it('have the names that metrics know, and the pauses of the settings', async () => {
    const bench = await createControlBench()
    const webhooks = plainWebhooks('sim')
    const deps = { ...bench, redelivery: bench.memory, webhooks, settings }
    const sink = { name: 'nowhere', write: async () => {} }
    const disk = { disk: createMemoryDisk(1).disk, room: createRoom(bench.clock) }
    const loops = controlLoops({ ...deps, pools: declaredPools(), sink, disk })
    expect(loops.map(({ name }) => name)).toEqual(loopNames)
    const pauses = Object.fromEntries(loops.map(({ name, sweepMs }) => [name, sweepMs]))
    expect(pauses).toMatchObject({ recovery: 1, redeliver: 2, audit: 3 })
  })

  it('do without those of declared pools, of a sink and of a disk where there are none', async () => {
    const bench = await createControlBench()
    const webhooks = plainWebhooks('sim')
    const loops = controlLoops({ ...bench, redelivery: bench.memory, webhooks, settings, pools: null })
    const left = ['pool-sync', 'pool-status', 'disk', 'ship-records']
    expect(loops.map(({ name }) => name)).toEqual(loopNames.filter((name) => !left.includes(name)))
  })
})
