import type { DeathRecord, Ending, PodEnd } from '../../../domain/death/index.ts'
import { newestText } from '../../../domain/tail/index.ts'

/** So much of the log stays where it alone says that the end was clean, so that it can be judged anew. */
const LIKELY_TAIL_BYTES = 1_024

/** Nobody asks how a clean end came about: what makes a record long is left out of it. */
export function short(record: DeathRecord): DeathRecord {
  if (!isClean(record) || record.ending === null) return record
  const tail = record.confidence === 'proven' ? '' : newestText(record.ending.tail, LIKELY_TAIL_BYTES)
  return { ...record, ending: shortEnding(record.ending, tail), ring: null }
}

/** The forge or the log agrees: exit code 0 alone does not make an end clean. */
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
