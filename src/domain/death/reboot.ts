import type { PodCondition, PodEnd } from './ending.ts'
import type { Known } from './known.ts'

/** How long after its end the mark that a node is lost may come: nodes are given up 40 to 50 s late by default. */
export const HEARD_LATE_MS = 120_000

/**
 * That its node was booted anew between its job's start and the capture of its end, in words; null where that is not
 * known. A node that turned ready only long after the end was rebooted after it.
 */
export function rebootWords({ pod, ending }: Pick<Known, 'pod' | 'ending'>): string | null {
  const before = pod?.bootIdAtStart ?? null
  const after = pod?.nodeAtEnd?.bootId ?? null
  if (pod === null || before === null || after === null || before === after) return null
  const backAt = readyOf(pod)?.at ?? null
  if (backAt !== null && backAt > ending.endedAt + HEARD_LATE_MS) return null
  return `Its node ${pod.place.node} was booted anew between its job's start and the capture of its end (boot ${before}, then ${after}).`
}

export function readyOf({ nodeAtEnd }: PodEnd): PodCondition | undefined {
  return nodeAtEnd?.conditions.find(({ type }) => type === 'Ready')
}
