import type { Instant } from '../../time.ts'
import { type GaveUp, gaveUp, type Still, stillAround } from '../gave-up.ts'
import type { HostSamples } from '../host-samples.ts'
import type { Known } from '../known.ts'
import { isLast, quote } from '../log.ts'
import type { DeathFacts, Verdict } from '../record.ts'
import { isHeldBack, isPressed, type Starvation, silentMsAround, starvationIn } from '../starvation.ts'
import { type Finding, likely, proven, unsure } from '../verdict.ts'
import { vitalsOf } from '../vitals.ts'
import { rule } from './rule.ts'

/** The rule for a job that the forge ended while its runner lived on: the later end of the runner only followed. */
const gaveUpRule = rule({
  name: 'the forge gave it up while it lived',
  gives: ['forge-gave-up'],
  means:
    'The forge received nothing from the runner for too long and failed its job, while the runner was alive ("lost communication with the server").',
  needs:
    'A job that failed at the forge, a runner that lived on for 15 s or more after that, and no line in its log that it reported the failure. Proven where the agent saw that nothing of the runner ran around that time: then no process in it can have reported anything.',
  mustNotConclude:
    'That the job failed its own tests, nor that the runner died: it was cut off, starved or frozen, and its job may even have gone on.',
  nextSteps: [
    'See what the runner did at that time: frozen (a paused process or machine), starved (pressure on its processors, or its CPU limit), or at work (then the network between runner and forge).',
    'See whether other runners were given up at the same time: then it was the network or the forge.',
    'Give the pool a higher CPU request or limit where it was starved. Run the job again.',
  ],
  proof: {
    rests: 'forge',
    argument:
      "The forge failed the job, and by the agent's samples from outside no process of the runner used any processor time from 30 s before that until 10 s after, more than clocks differ by: no process in it can have reported a failure, so that the forge ended the job by itself. A runner that reports a failure and hangs after that ran just before it.",
  },
  fires: (known) => {
    const found = gaveUp(known.job, known.ending.endedAt, () => known.log)
    return found === null ? null : finding(known, found)
  },
})
export const gaveUpRules = [gaveUpRule]

/**
 * The same verdict for a runner that still lives, without its log, which is read at its end. Null where the forge has not
 * ended its job, or only just did.
 */
export function judgeLiving({ job, ring }: Omit<DeathFacts, 'ending'>, now: Instant): Verdict | null {
  const found = gaveUp(job, now, () => ({}))
  if (found === null) return null
  return {
    rule: gaveUpRule.name,
    nextSteps: gaveUpRule.nextSteps,
    ruledOut: [],
    ...likely(
      'forge-gave-up',
      sentence(found, 'has lived on'),
      ...activity(found, stillAround(found.at, ring?.samples ?? [], nextToNothing), ring),
    ),
    unknown: ['whether the runner reported that failure itself and hangs since: its log is read at its end'],
  }
}

function finding(known: Known, found: GaveUp): Finding {
  const { ending, ring, log } = known
  const { samples } = ring ?? ending
  const still = stillAround(found.at, samples, nextToNothing)
  const because = [
    sentence(found, 'lived on'),
    ...(log.jobResult === undefined ? [] : [`${quote(log, 'jobResult')}, which the forge did not take.`]),
    ...activity(found, still, ring),
    ...silence(found, known),
    ...(isLast(log, 'connectError', 'reconnected') ? [quote(log, 'connectError')] : []),
  ]
  const isLogRead = ending.tail.trim() !== ''
  if (isLogRead && ring !== null && isProof(stillAround(found.at, ring.samples, 0)))
    return proven('forge-gave-up', ...because)
  if (isLogRead || isFrozen(still)) return likely('forge-gave-up', ...because)
  return {
    ...unsure('forge-gave-up', ...because),
    unknown: ['whether it reported that failure itself and hung then: nothing of its log was read'],
  }
}

function sentence({ livedOnMs }: GaveUp, lived: string): string {
  return `The forge ended its job with failure, and the runner ${lived} for ${Math.round(livedOnMs / 1000)} s.`
}

/** A runner that was still for this long before and after cannot have reported anything, at any clock skew. */
const proofBeforeMs = 30_000
const proofAfterMs = 10_000
/** A program that only waits uses the processor more often than this; samples come each second. */
const frozenMsMin = 2_500

/** The time before and after that is examined for a runner that was at work. */
const aroundMs = 30_000

/** The most that a process uses while it waits for a frozen child, as the poller of a local runner does. */
const nextToNothing = 0.02

function isProof(still: Still | null): boolean {
  return still !== null && still.beforeMs >= proofBeforeMs && still.afterMs >= proofAfterMs
}

function isFrozen(still: Still | null): boolean {
  return still !== null && still.beforeMs >= frozenMsMin
}

/** Sentences about what the runner did when it was given up, and what held it back. */
function activity({ at }: GaveUp, still: Still | null, ring: HostSamples | null): string[] {
  if (still === null) return []
  if (isFrozen(still)) return [frozenWords(at, still, ring)]
  const around = { from: at - aroundMs, to: at + aroundMs }
  const found = starvationIn(around, ring)
  return [
    `It used the processor in the ${seconds(still.stepMs)} around that.`,
    ...(isHeldBack(around, found)
      ? [`Its CPU limit held it back for ${seconds(found.throttledMs)} of the minute around that.`]
      : []),
    ...(isPressed(found)
      ? [`The agent saw the pressure on its processors at up to ${percentOf(found)} around that.`]
      : []),
  ]
}

/** Frozen and starved look the same from inside; throttling and pressure distinguish them. */
function frozenWords(at: Instant, { beforeMs, afterMs }: Still, ring: HostSamples | null): string {
  const stretch = { from: at - beforeMs, to: at + afterMs }
  const found = starvationIn(stretch, ring)
  const used = `It used next to no processor time in the ${seconds(beforeMs)} before that and the ${seconds(afterMs)} after`
  if (isHeldBack(stretch, found)) {
    return `${used}: it was starved, its CPU limit held it back for ${seconds(found.throttledMs)} of these.`
  }
  if (isPressed(found))
    return `${used}: it was starved, with a pressure on its processors of up to ${percentOf(found)}.`
  const isAllSeen = found.throttledMs !== null && found.pressure !== null
  return `${used}: it was ${isAllSeen ? 'paused or frozen' : 'paused, frozen or starved'}.`
}

function silence({ at }: GaveUp, { ending }: Known): string[] {
  const silentMs = silentMsAround(at, vitalsOf(ending.tail), ending)
  if (silentMs === null) return []
  return [
    `Its own vitals, due each 3 s, were silent for ${seconds(silentMs)} around that: it was starved or paused, if its own output is right.`,
  ]
}

function seconds(ms: number | null): string {
  return `${Math.max(1, Math.round((ms ?? 0) / 1000))} s`
}

function percentOf({ pressure }: Starvation): string {
  return `${Math.round(pressure ?? 0)} %`
}
