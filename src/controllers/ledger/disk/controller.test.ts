import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../../../sim/world/disk.ts'
import { createMemoryLedger } from '../../../../sim/world/ledger/index.ts'
import { createRandom } from '../../../../sim/world/random.ts'
import { recordedLog } from '../../../../test/support/machine.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { createDiskHeadroom, diskLoop } from './index.ts'

const bytesPerMiB = 1024 * 1024
const never = new AbortController().signal
const refused = new HoldfastError('E_LEDGER_DISK_FULL', { where: 'there', lines: [] })

const unanswered = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'simulated' })

let ledger: Ledger
let bench: ReturnType<typeof createBench>
beforeEach(() => {
  ledger = createMemoryLedger({ clock: { now: () => 1_000 }, entropy: createRandom(1) })
  bench = createBench()
})

function createBench() {
  const headroom = createDiskHeadroom({ now: () => 1_000 })
  const memory = createMemoryDisk(4_096 * bytesPerMiB)
  const caughtUp: number[] = []
  let fails = false
  let isLost = false
  const loop = diskLoop({
    disk: memory.disk,
    headroom,
    installation: 'here',
    log: recordedLog(),
    metrics: { count() {}, set() {}, observe() {} },
    ledger: {
      ...ledger,
      raiseIncident: async (...args) => {
        if (fails) throw refused
        const raised = await ledger.raiseIncident(...args)
        if (isLost) throw unanswered
        return raised
      },
    },
    catchUp: async () => void caughtUp.push(1),
  })
  const open = async () =>
    (await ledger.incidents(0)).filter(({ closedAt }) => closedAt === null).map(({ kind }) => kind)
  const after = async (freeMib: number) => {
    memory.fill(freeMib * bytesPerMiB)
    await loop.pass(never)
    return { open: await open(), why: headroom.why(), hasReserve: (await memory.disk.space()).hasReserve }
  }
  const failWrites = (is: boolean) => {
    fails = is
  }
  const loseAnswers = (is: boolean) => {
    isLost = is
  }
  return { headroom, caughtUp, after, failWrites, loseAnswers }
}

describe('the watch over the disk', () => {
  it('reports nothing of a disk with room, and keeps a reserve there', async () => {
    expect(await bench.after(4_096)).toEqual({ open: [], why: null, hasReserve: true })
    expect(bench.caughtUp).toEqual([])
  })

  it('warns before a disk is full, and accepts webhooks until then', async () => {
    await bench.after(4_096)
    expect(await bench.after(200)).toEqual({ open: ['disk-low'], why: null, hasReserve: true })
    expect(() => bench.headroom.check()).not.toThrow()
    expect(await bench.after(4_096)).toMatchObject({ open: [] })
    expect(bench.caughtUp).toEqual([])
  })

  it('releases the reserve where a disk is full, accepts no webhook, and says why', async () => {
    await bench.after(4_096)
    const { open, why, hasReserve } = await bench.after(0)
    expect({ open, hasReserve }).toEqual({ open: ['disk-full'], hasReserve: false })
    expect(why).toMatch(/^0 MiB of 4096 MiB are free in /)
    expect(() => bench.headroom.check()).toThrow(/full/)
  })

  it('recovers by itself when there is space, and catches up once on the webhooks that it refused', async () => {
    await bench.after(4_096)
    await bench.after(0)
    expect(await bench.after(60)).toMatchObject({ open: ['disk-full'], hasReserve: false })
    expect(await bench.after(4_096)).toEqual({ open: [], why: null, hasReserve: true })
    await bench.after(4_096)
    expect(bench.caughtUp).toEqual([1])
  })

  it('closes an incident whose write got no answer, when there is room again', async () => {
    await bench.after(4_096)
    bench.loseAnswers(true)
    expect(await bench.after(0)).toMatchObject({ open: ['disk-full'] })
    bench.loseAnswers(false)
    expect(await bench.after(4_096)).toMatchObject({ open: [], why: null })
  })

  it('treats a disk as full also where the incident cannot be written, and writes it later', async () => {
    await bench.after(4_096)
    bench.failWrites(true)
    expect(await bench.after(0)).toMatchObject({ open: [] })
    expect(() => bench.headroom.check()).toThrow(/full/)
    bench.failWrites(false)
    expect(await bench.after(0)).toMatchObject({ open: ['disk-full'] })
  })
})
