import type { Explanation } from '../api/index.ts'
import { classifyLog } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'
import { compose } from './compose.ts'
import { endingItems } from './evidence/index.ts'

/** A log of which nothing else is known. */
export interface ReadLog {
  readonly name: string
  /** Its newest part, without secrets. */
  readonly text: string
  /** Whether older lines were left out. */
  readonly isCut: boolean
  /** When it was last written to; null where that is not known. */
  readonly writtenAt: Instant | null
}

/** What a log alone says about an end. Whoever writes a log can write anything: nothing in it is proof. */
export function explainLog(log: ReadLog, now: Instant): Explanation {
  const judged = classifyLog(log.text, log.writtenAt ?? now)
  const { ending } = judged
  return compose({
    ...{ now, ending, ring: null, sealed: null, verdict: judged },
    subject: { asked: log.name, kind: 'log', title: `Log ${log.name}` },
    ...{ job: null, runner: null, pod: null },
    standing: log.isCut ? 'Only the newest part of the log was read.' : 'The log was read whole.',
    items: ending === null ? [] : endingItems(ending).filter(({ source }) => source === 'log'),
    ...{ moments: [], did: [] },
    unknown: ['whether the log is true: what a job runs can write anything into it'],
    nextSteps: [],
  })
}
