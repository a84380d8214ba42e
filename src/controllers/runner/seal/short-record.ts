import type { DeathRecord, Ending, PodEnd } from '../../../domain/death/index.ts'
import { newestText } from '../../../domain/tail/index.ts'

/** The part of the log that is kept where it alone shows a clean end, so that it can be judged again. */
const likelyTailBytes = 1_024

/** Shortens the record of a clean end, of which nobody needs the details. */
export function short(record: DeathRecord): DeathRecord {
  if (!isClean(record) || record.ending === null) return record
  const tail = record.confidence === 'proven' ? '' : newestText(record.ending.tail, likelyTailBytes)
  return { ...record, ending: shortEnding(record.ending, tail), ring: null }
}

/** Whether the forge or the log confirms a clean end: exit code 0 alone does not make one. */
export function isClean({ class: deathClass, confidence, ending }: DeathRecord): boolean {
  return deathClass === 'clean' && confidence !== 'unknown' && ending?.exitCode === 0
}

function shortEnding(ending: Ending, tail: string): Ending {
  return { ...ending, tail, samples: [], pod: ending.pod === null ? null : shortPod(ending.pod) }
}

function shortPod(pod: PodEnd): PodEnd {
  const containers = pod.containers.map((container) => ({ ...container, tail: '' }))
  return { ...pod, conditions: [], events: [], nodeAtEnd: null, containers }
}
