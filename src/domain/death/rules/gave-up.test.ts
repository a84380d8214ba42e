import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../classify.ts'
import { aHostRing, aHostSample, aJobAtEnd, anEnd, endedAt } from '../testing.ts'
import { failedBefore, failedLine, runningLine, stillRing, wokenLine } from './cases/gave-up.ts'
import { judgeLiving } from './gave-up.ts'

const frozen = anEnd({ signal: 'SIGKILL', tail: runningLine, stopRequestedBy: 'its job is over' })
const busyRing = aHostRing({
  samples: Array.from({ length: 120 }, (_, index) =>
    aHostSample({ at: endedAt - (118 - index) * 1000, cpuMs: index * 900, cpuPressure: 95 }),
  ),
})

describe('a runner that the forge gave up', () => {
  it('is proven where the agent saw that nothing of it ran around that time', () => {
    const verdict = classifyDeath(frozen, { job: failedBefore, ring: stillRing })
    expect(verdict).toMatchObject({ class: 'forge-gave-up', confidence: 'proven' })
    expect(verdict.because.join(' ')).toMatch(/lived on for 60 s.*used next to no processor time/)
  })

  it('is not proven, and not said, where its log has the failure that the forge has (the nearest impostor)', () => {
    const hung = anEnd({ ...frozen, tail: runningLine + failedLine })
    expect(classifyDeath(hung, { job: failedBefore, ring: stillRing }).class).toBe('terminated')
  })

  it('is likely at most where its log was not read, or it was at work', () => {
    const unread = anEnd({ ...frozen, tail: '', missing: ['its log'] })
    expect(classifyDeath(unread, { job: failedBefore, ring: stillRing }).confidence).toBe('likely')
    const working = classifyDeath(frozen, { job: failedBefore, ring: busyRing })
    expect(working).toMatchObject({ class: 'forge-gave-up', confidence: 'likely' })
    expect(working.because.join(' ')).toMatch(
      /used the processor in the 1 s around that.*pressure on its processors at up to 95 %/,
    )
  })

  it('is said of one that woke up and reported too late, also where its result was good', () => {
    const woken = anEnd({ exitCode: 1, tail: runningLine + wokenLine })
    expect(classifyDeath(woken, { job: failedBefore, ring: null }).class).toBe('forge-gave-up')
    const good = anEnd({ exitCode: 0, tail: runningLine + wokenLine.replace('Failed', 'Succeeded') })
    expect(classifyDeath(good, { job: failedBefore, ring: null }).class).toBe('forge-gave-up')
  })

  it.each([
    ['went right after the forge had the failure', { heardAt: endedAt - 5_000 }],
    ['was cancelled by somebody', { conclusion: 'cancelled' }],
    ['did its job well', { conclusion: 'success' }],
    ['is not known to be over at the forge', { forgeStatus: 'in_progress', conclusion: null }],
  ])('is not said of one that %s', (_, word) => {
    const job = aJobAtEnd({ ...failedBefore, ...word })
    expect(classifyDeath(frozen, { job, ring: null }).class).not.toBe('forge-gave-up')
  })

  it('goes by the clock of the forge where its word came late, with the difference of clocks in hand', () => {
    const late = (agoMs: number) =>
      aJobAtEnd({ ...failedBefore, heardAt: endedAt - 1_000, forgeCompletedAt: endedAt - agoMs })
    expect(classifyDeath(frozen, { job: late(600_000), ring: null }).class).toBe('forge-gave-up')
    expect(classifyDeath(frozen, { job: late(60_000), ring: null }).class).toBe('terminated')
  })

  it('is likely while the runner still lives, and not before it had time to go', () => {
    const known = { job: failedBefore, ring: null }
    expect(judgeLiving(known, endedAt)).toMatchObject({ class: 'forge-gave-up', confidence: 'likely' })
    expect(judgeLiving(known, endedAt - 50_000)).toBeNull()
    expect(judgeLiving({ job: null, ring: null }, endedAt)).toBeNull()
  })
})
