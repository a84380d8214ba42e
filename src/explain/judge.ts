import {
  classifyDeath,
  type DeathRecord,
  deathRules,
  type HostSamples,
  type JobAtEnd,
  type Verdict,
} from '../domain/death/index.ts'

/** Facts that became known after a record was sealed. */
export interface LaterFacts {
  readonly job: JobAtEnd | null
  readonly ring: HostSamples | null
}

/**
 * What a sealed record comes to with what is known now. A verdict that was reached without the rules, as of a runner
 * that was given up, stands until something is proven: its grounds are not all in the record.
 */
export function judgeAgain(record: DeathRecord, later: LaterFacts): Verdict {
  const now = classifyDeath(record.ending, {
    job: later.job ?? record.job,
    ring: later.ring ?? record.ring,
  })
  const isByRules = record.rule === '' || record.rule === 'nothing was left' || isRule(record.rule)
  const isProven = now.confidence === 'proven' && isReached(now)
  if (isByRules || record.confidence === 'unknown' || isProven) return verdictIn(now)
  return verdictIn(record)
}

/** Whether it says what happened. */
export function isReached(verdict: Verdict | null): boolean {
  if (verdict === null || verdict.confidence === 'unknown') return false
  return verdict.class !== 'unknown' && verdict.class !== 'vanished'
}

export function isSameVerdict(a: Verdict, b: Verdict): boolean {
  return a.class === b.class && a.confidence === b.confidence
}

function isRule(name: string): boolean {
  return deathRules.some((rule) => rule.name === name)
}

function verdictIn(record: Verdict): Verdict {
  const { class: deathClass, rule, confidence, because, ruledOut, unknown, nextSteps } = record
  return { class: deathClass, rule, confidence, because, ruledOut, unknown, nextSteps }
}
