import { type ApiVerdict, deathText, type Explanation, iso } from '../api/index.ts'
import type { Ending, HostRing, Verdict } from '../domain/death/index.ts'
import { redactText } from '../domain/redact/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Item } from './evidence/index.ts'
import { isReached, isSameVerdict } from './judge.ts'
import type { Moment } from './moments/index.ts'
import type { Sealed } from './sealed.ts'
import { harmless, once, oneLine } from './words.ts'

/** Rows of a timeline that are given; older ones are counted. */
export const MOMENTS_MAX = 200
/** As much as a record keeps. */
const TAIL_CHARS_MAX = 64 * 1024

/** All of one case, from wherever it is known. */
export interface Case {
  readonly now: Instant
  readonly subject: Explanation['subject']
  readonly job: Explanation['job']
  readonly runner: Explanation['runner']
  readonly pod: Explanation['pod']
  readonly standing: string
  readonly ending: Ending | null
  readonly ring: HostRing | null
  readonly verdict: Verdict | null
  readonly sealed: Sealed | null
  readonly items: readonly Item[]
  readonly moments: readonly Moment[]
  readonly did: Explanation['did']
  /** Beside what the verdict says of these. */
  readonly unknown: readonly string[]
  readonly nextSteps: readonly string[]
}

/** One explanation: everything in it is bounded, masked, and harmless to a terminal. */
export function compose(given: Case): Explanation {
  const { verdict, sealed, ending } = given
  const moments = [...given.moments].sort((a, b) => a.at - b.at)
  return {
    at: iso(given.now),
    subject: {
      ...given.subject,
      asked: oneLine(given.subject.asked),
      title: oneLine(given.subject.title),
    },
    ...{ job: given.job, runner: given.runner, pod: given.pod },
    standing: oneLine(given.standing),
    verdict: verdict === null ? null : verdictView(verdict),
    isReached: isReached(verdict),
    sealed:
      sealed === null
        ? null
        : {
            ...verdictView(sealed.record),
            at: iso(sealed.at),
            isComplete: sealed.record.outcome === 'complete',
          },
    isChanged: verdict !== null && sealed !== null && !isSameVerdict(verdict, sealed.record),
    evidence: given.items.map(({ source, at, text }) => ({
      ...{ source, at: at === null || at <= 0 ? null : iso(at), text: oneLine(text) },
    })),
    ruledOut: once((verdict?.ruledOut ?? []).map(oneLine)),
    unknown: once([...(verdict?.unknown ?? []), ...unread(given), ...given.unknown].map(oneLine)),
    timeline: moments
      .slice(-MOMENTS_MAX)
      .map(({ at, source, text }) => ({ source, at: iso(at), text: oneLine(text) })),
    leftOut: Math.max(0, moments.length - MOMENTS_MAX),
    did: given.did,
    nextSteps: once([...(verdict?.nextSteps ?? []), ...given.nextSteps].map(oneLine)),
    tail: tailOf(ending),
  }
}

function verdictView(verdict: Verdict): ApiVerdict {
  const { class: deathClass, confidence, rule, because } = verdict
  const none = { exitCode: null, signal: null, oomKills: null }
  return {
    ...{ class: deathClass, confidence, rule: oneLine(rule) },
    sentence: deathText({ ...none, class: deathClass, confidence, because: [] }),
    because: because.map((line) => oneLine(String(line))),
  }
}

/** What the verdict does not name already. */
function unread({ ending, ring, verdict }: Case): string[] {
  const isNamed = (what: string) => verdict?.unknown.some((line) => line.includes(what)) ?? false
  return [...(ending?.missing ?? []), ...(ring?.missing ?? [])]
    .filter((what) => !isNamed(what))
    .map((what) => `not read: ${what}`)
}

function tailOf(ending: Ending | null): string {
  const text = harmless(ending?.tail ?? '').slice(-TAIL_CHARS_MAX)
  return redactText(text, TAIL_CHARS_MAX).trimEnd()
}
