import type { Runway } from '../../capacity/index.ts'
import { durationText } from '../../format.ts'
import type { NodeUsageFact } from '../../snapshot/index.ts'
import { keyOf } from '../joins.ts'
import { amountText } from './amount-text.ts'

/** Time to react: to drain a node, or to stop a job. */
const runwayShortMs = 60 * 60_000
/** Pods in the evidence that grew most. */
const growersMax = 3

export function isShort({ ms }: Runway): boolean {
  return ms < runwayShortMs
}

export function runwayText({ reading, ms }: Runway): string {
  return `${reading.filesystem} ${reading.unit}: ${durationText(ms)} until the kubelet evicts, with ${amountText(reading.unit, reading.headroom)} left`
}

/** The pods whose ephemeral storage grew most between two readings. */
export function growers(now: NodeUsageFact, before: NodeUsageFact): readonly string[] {
  const earlier = new Map(before.pods.map(({ pod, ephemeralBytes }) => [keyOf(pod), ephemeralBytes]))
  return now.pods
    .map(({ pod, ephemeralBytes }) => ({
      name: keyOf(pod),
      grown: (ephemeralBytes ?? 0) - (earlier.get(keyOf(pod)) ?? 0),
    }))
    .filter(({ grown }) => grown > 0)
    .sort((a, b) => b.grown - a.grown)
    .slice(0, growersMax)
    .map(({ name, grown }) => `${name} +${amountText('bytes', grown)}`)
}
