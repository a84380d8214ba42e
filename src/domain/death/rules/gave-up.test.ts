import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../classify.ts'
import type { HostSamples } from '../host-samples.ts'
import { aHostSample, aHostSamples, aJobAtEnd, anEnd, endedAt } from '../testing.ts'
import { failedBefore, failedLine, runningLine, stillRing, wokenLine } from './cases/gave-up.ts'
import { judgeLiving } from './gave-up.ts'

const frozen = anEnd({ signal: 'SIGKILL', tail: runningLine, stopRequestedBy: 'its job is over' })
const busyRing = aHostSamples({
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

  it('is not found where its log has the failure that the forge has (the nearest impostor)', () => {
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

  it('is found for a runner that woke up and reported too late, also where its result was good', () => {
    const woken = anEnd({ exitCode: 1, tail: runningLine + wokenLine })
    expect(classifyDeath(woken, { job: failedBefore, ring: null }).class).toBe('forge-gave-up')
    const good = anEnd({ exitCode: 0, tail: runningLine + wokenLine.replace('Failed', 'Succeeded') })
    expect(classifyDeath(good, { job: failedBefore, ring: null }).class).toBe('forge-gave-up')
  })

  describe('and why', () => {
    const slow = (over: object) => stillRing.samples.map((each, n) => ({ ...each, cpuMs: n, ...over }))
    const throttled = {
      ...stillRing,
      samples: slow({}).map((each, n) => ({ ...each, throttledMs: n * 950 })),
    }
    const pressed = { ...stillRing, samples: slow({ cpuPressure: 97 }) }
    const finding = (ring: HostSamples | null, tail = runningLine) =>
      classifyDeath(anEnd({ ...frozen, tail }), { job: failedBefore, ring }).because.join(' ')

    it('says that it was starved where its CPU limit held it back, or others had its processors', () => {
      expect(finding(throttled)).toMatch(
        /next to no processor.*starved, its CPU limit held it back for 11\d s/,
      )
      expect(finding(pressed)).toMatch(/starved, with a pressure on its processors of up to 97 %/)
      expect(judgeLiving({ job: failedBefore, ring: throttled }, endedAt)?.because.join(' ')).toMatch(
        /it was starved/,
      )
    })

    it('says that it was paused only where neither was so, and leaves it open where that was not counted', () => {
      expect(finding(stillRing)).toMatch(/it was paused or frozen\.$/)
      const uncounted = { ...stillRing, samples: slow({ throttledMs: null, cpuPressure: null }) }
      expect(finding(uncounted)).toMatch(/it was paused, frozen or starved\.$/)
    })

    it('says of one at work that its CPU limit held it back, without calling it starved', () => {
      const limited = {
        ...busyRing,
        samples: busyRing.samples.map((each, n) => ({ ...each, throttledMs: n * 900 })),
      }
      expect(finding(limited)).toMatch(
        /used the processor.*limit held it back for 5\d s of the minute around/,
      )
      expect(finding(limited)).not.toMatch(/starved/)
    })

    it('says that its own vitals were silent around that time, and not where they came', () => {
      const line = (ago: number) =>
        `${new Date(endedAt - ago).toISOString().slice(0, 19)}Z RUNNER_VITALS pids=3\n`
      expect(finding(null, runningLine + line(64_000) + line(13_000))).toMatch(/vitals.*silent for 51 s/)
      expect(finding(null, runningLine + line(64_000))).toMatch(/vitals.*silent for 64 s/)
      expect(finding(null, runningLine + line(64_000) + line(61_000) + line(57_000))).not.toMatch(/vitals/)
      const fresh = anEnd({ ...frozen, startedAt: endedAt - 70_000, tail: runningLine + line(40_000) })
      const { because } = classifyDeath(fresh, { job: failedBefore, ring: null })
      expect(because.join(' ')).toMatch(/vitals.*silent for 30 s/)
      expect(finding(null)).not.toMatch(/vitals/)
    })
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

  it('goes by the clock of the forge where its event came late, with a margin for clock skew', () => {
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
