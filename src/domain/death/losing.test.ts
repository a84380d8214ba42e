import { describe, expect, it } from 'vitest'
import { type Bearing, bearings, type ForgeEnd, isLostBy, type RunnerDeath, runnerDeath } from './losing.ts'
import { type DeathClass, deathClasses } from './record.ts'
import { aDeathRecord, anEnd, aPodEnd } from './testing.ts'

const completedAt = 1_000_000
const cancelled: ForgeEnd = { conclusion: 'cancelled', completedAt, receivedAt: null }
const failed: ForgeEnd = { ...cancelled, conclusion: 'failure' }
const death = (over: Partial<RunnerDeath> = {}): RunnerDeath => ({
  class: 'node-drained',
  confidence: 'likely',
  isAsked: false,
  deletedAt: null,
  begunAt: completedAt - 5_000,
  endedAt: completedAt + 5_000,
  ...over,
})
const classesOf = (bearing: Bearing): DeathClass[] => deathClasses.filter((of) => bearings[of] === bearing)

describe('a job that the forge cancelled', () => {
  it.each([...classesOf('disruption'), ...classesOf('end')])(
    'is lost where its runner was %s before that, and is not where it was afterwards',
    (of) => {
      expect(isLostBy(death({ class: of }), cancelled)).toBe(true)
      const later = { begunAt: completedAt + 1_000, endedAt: completedAt + 20_000 }
      expect(isLostBy(death({ class: of, ...later }), cancelled)).toBe(false)
    },
  )

  it.each([...classesOf('none'), ...classesOf('forge')])('is not lost where its runner was %s', (of) => {
    expect(isLostBy(death({ class: of }), cancelled)).toBe(false)
  })

  it('is not lost by a death of unknown confidence, nor where the forge gives no time', () => {
    expect(isLostBy(death({ confidence: 'unknown' }), cancelled)).toBe(false)
    expect(isLostBy(death(), { ...cancelled, completedAt: null })).toBe(false)
  })

  it('is lost also within the second to which the forge rounds', () => {
    expect(isLostBy(death({ begunAt: completedAt + 900 }), cancelled)).toBe(true)
  })

  it('is not lost by a death that began after the event was received, whatever the clock of the forge says', () => {
    const ahead = { ...cancelled, receivedAt: completedAt - 60_000 }
    expect(isLostBy(death({ begunAt: ahead.receivedAt }), ahead)).toBe(false)
    expect(isLostBy(death({ begunAt: ahead.receivedAt - 1 }), ahead)).toBe(true)
  })

  it('is lost where somebody deleted its pod before that, though it ended in order; and is not where afterwards', () => {
    const clean = death({ class: 'clean', confidence: 'unknown', deletedAt: completedAt - 1 })
    expect(isLostBy(clean, cancelled)).toBe(true)
    expect(isLostBy({ ...clean, deletedAt: completedAt }, cancelled)).toBe(false)
    expect(isLostBy({ ...clean, deletedAt: null }, cancelled)).toBe(false)
    expect(isLostBy(clean, { ...cancelled, receivedAt: completedAt - 60_000 })).toBe(false)
    for (const conclusion of ['failure', 'success'])
      expect(isLostBy(clean, { ...cancelled, conclusion })).toBe(false)
  })

  const sigterm = death({ class: 'terminated', begunAt: completedAt + 3_000, endedAt: completedAt + 3_000 })

  it('is lost where SIGTERM, not of Holdfast, ended its runner right after it reported that', () => {
    expect(isLostBy(sigterm, cancelled)).toBe(true)
    expect(isLostBy(sigterm, { ...cancelled, receivedAt: completedAt + 500 })).toBe(true)
  })

  it('is not where Holdfast stopped the runner then, or where it came much later or to a failure', () => {
    expect(isLostBy({ ...sigterm, isAsked: true }, cancelled)).toBe(false)
    const late = completedAt + 16_000
    expect(isLostBy({ ...sigterm, begunAt: late, endedAt: late }, cancelled)).toBe(false)
    expect(isLostBy({ ...sigterm, confidence: 'unknown' }, cancelled)).toBe(false)
    expect(isLostBy(sigterm, failed)).toBe(false)
  })
})

describe('a job that the forge failed', () => {
  it.each(deathClasses.filter((of) => of !== 'clean' && of !== 'job-deadline'))(
    'is lost where its runner was %s before that',
    (of) => {
      expect(isLostBy(death({ class: of, confidence: 'likely' }), failed)).toBe(true)
    },
  )

  it('is not lost where its runner died afterwards, ended in order, or was past the limit of its pool', () => {
    expect(isLostBy(death({ class: 'job-deadline' }), failed)).toBe(false)
    expect(isLostBy(death({ begunAt: completedAt + 1_000 }), failed)).toBe(false)
    expect(isLostBy(death({ class: 'clean' }), failed)).toBe(false)
  })

  it('is not lost by an end of which only the time speaks, within the second in which the forge has the report', () => {
    for (const of of classesOf('none')) {
      expect(isLostBy(death({ class: of, begunAt: completedAt + 200 }), failed)).toBe(false)
    }
    expect(isLostBy(death({ class: 'container-oom', begunAt: completedAt + 200 }), failed)).toBe(true)
  })

  it('is lost where the forge gave it up while its runner lived, and not where that is only a guess', () => {
    const later = { class: 'forge-gave-up', begunAt: completedAt + 60_000 } as const
    expect(isLostBy(death(later), { ...failed, receivedAt: completedAt })).toBe(true)
    expect(isLostBy(death({ ...later, confidence: 'unknown' }), { ...failed, receivedAt: completedAt })).toBe(
      false,
    )
  })

  it('is lost without a time of the forge only where its event came after the death', () => {
    expect(isLostBy(death(), { ...failed, completedAt: null })).toBe(true)
    expect(isLostBy(death(), { ...failed, completedAt: null, receivedAt: completedAt })).toBe(false)
  })
})

it.each(['success', 'skipped', 'neutral', 'timed_out', 'gone', 'retired', null])(
  'a job that ended as %s is never lost',
  (conclusion) => {
    for (const of of deathClasses)
      expect(isLostBy(death({ class: of }), { ...failed, conclusion })).toBe(false)
  },
)

describe('when a death began', () => {
  const condition = (status: string, at: number) => ({
    type: 'DisruptionTarget',
    status,
    at,
    reason: 'EvictionByEvictionAPI',
    message: null,
  })
  const drained = (over: Parameters<typeof aPodEnd>[0]) =>
    aDeathRecord({ class: 'node-drained', ending: anEnd({ endedAt: 900, pod: aPodEnd(over) }) })

  it('is when its pod was marked or deleted, whichever was first', () => {
    expect(runnerDeath(drained({ deletedAt: 500 }), 2_000).begunAt).toBe(500)
    const marked = drained({ deletedAt: 500, conditions: [condition('True', 400)] })
    expect(runnerDeath(marked, 2_000).begunAt).toBe(400)
  })

  it('is when its host had been silent for two heartbeats, where its registration shows that it never reported its job', () => {
    const silence = { lastHeardAt: 100, wasRegistered: true }
    const silent = aDeathRecord({ class: 'host-lost', ending: null, silence })
    expect(runnerDeath(silent, 900_000).begunAt).toBe(20_100)
    expect(runnerDeath(silent, 2_000).begunAt).toBe(2_000)
    const outlived = { ...silent, silence: { ...silence, wasRegistered: false } }
    expect(runnerDeath(outlived, 900_000).begunAt).toBe(900_000)
    expect(runnerDeath(aDeathRecord({ class: 'host-lost' }), 900_000).begunAt).toBe(900_000)
  })

  it('has the time at which somebody deleted its pod while it ran; not that of a clean-up, nor that of Holdfast', () => {
    const clean = (deletedAt: number, stopRequestedBy: string | null = null) =>
      aDeathRecord({ ending: anEnd({ endedAt: 900, stopRequestedBy, pod: aPodEnd({ deletedAt }) }) })
    expect(runnerDeath(clean(500), 2_000).deletedAt).toBe(500)
    expect(runnerDeath(clean(901), 2_000).deletedAt).toBeNull()
    expect(runnerDeath(clean(500, 'idle'), 2_000).deletedAt).toBeNull()
  })

  it('is not when a disruption was called off, nor when a pod was deleted that was killed for something else', () => {
    const off = drained({ deletedAt: null, conditions: [condition('False', 400)] })
    expect(runnerDeath(off, 2_000).begunAt).toBe(900)
    const killed = { ...drained({ deletedAt: 500 }), class: 'container-oom' as const }
    expect(runnerDeath(killed, 2_000).begunAt).toBe(900)
  })

  it('is when it was sealed at the latest, where nobody saw its end', () => {
    const unseen = runnerDeath(aDeathRecord({ class: 'node-lost', ending: null }), 2_000)
    expect(unseen).toMatchObject({ begunAt: 2_000, endedAt: null })
  })

  it('has no effect for a class that only a newer version knows', () => {
    expect(runnerDeath({ class: 'swallowed', confidence: 'proven' }, 2_000).class).toBe('unknown')
    expect(runnerDeath({ class: 'toString' }, 2_000)).toMatchObject({
      class: 'unknown',
      confidence: 'unknown',
    })
  })
})
