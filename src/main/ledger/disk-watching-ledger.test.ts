import { describe, expect, it } from 'vitest'
import { createDiskHeadroom } from '../../controllers/ledger/disk/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { diskWatchingLedger } from './disk-watching-ledger.ts'

const full = new HoldfastError('E_LEDGER_DISK_FULL', { where: 'its own disk', lines: [] })
const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'gone', outcomeUnknown: false })

function createBench() {
  const clock = { time: 1_000, now: () => clock.time }
  const headroom = createDiskHeadroom(clock)
  const ledger = {
    answer: async () => 7,
    refuse: async () => Promise.reject(full),
    beAway: async () => Promise.reject(away),
    plain: () => 'plain',
  }
  return { clock, headroom, ledger: diskWatchingLedger(ledger, headroom, clock) }
}

describe('a ledger whose disk is full', () => {
  it('says so itself: it is taken for true for as long as it goes on saying it', async () => {
    const { clock, headroom, ledger } = createBench()
    expect(await ledger.answer()).toBe(7)
    expect(ledger.plain()).toBe('plain')
    expect(headroom.why()).toBeNull()
    await expect(ledger.refuse()).rejects.toBe(full)
    expect(headroom.why()).toContain('its own disk')
    clock.time += 20_000
    expect(headroom.why()).toBeNull()
  })

  it('is named as the reason where the server does not answer, and not where the disk has room', async () => {
    const { headroom, ledger } = createBench()
    await expect(ledger.beAway()).rejects.toBe(away)
    headroom.note('full', '0 MiB are free')
    await expect(ledger.beAway()).rejects.toMatchObject({ code: 'E_LEDGER_DISK_FULL' })
  })
})
