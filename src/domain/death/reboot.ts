import type { PodCondition, PodEnd } from './ending.ts'
import type { Known } from './known.ts'

/** How long after the end a node may be marked as lost: by default that takes 40 to 50 s. */
export const lostNodeMarkedWithinMs = 120_000

/**
 * A sentence about a reboot of its node between the start of its job and the capture of its end; null where none is known.
 * A node that turned ready only long after the end was rebooted after it.
 */
export function rebootWords({ pod, ending }: Pick<Known, 'pod' | 'ending'>): string | null {
  const before = pod?.bootIdAtStart ?? null
  const after = pod?.nodeAtEnd?.bootId ?? null
  if (pod === null || before === null || after === null || before === after) return null
  const backAt = readyOf(pod)?.at ?? null
  if (backAt !== null && backAt > ending.endedAt + lostNodeMarkedWithinMs) return null
  return `Its node ${pod.place.node} was rebooted between its job's start and the capture of its end (boot ${before}, then ${after}).`
}

export function readyOf({ nodeAtEnd }: PodEnd): PodCondition | undefined {
  return nodeAtEnd?.conditions.find(({ type }) => type === 'Ready')
}
