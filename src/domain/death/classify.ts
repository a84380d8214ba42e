import { alsoOf } from './also.ts'
import { type Known, knownOf } from './known.ts'
import type { DeathFacts, DeathRecord, JobAtEnd, JobReport, Verdict } from './record.ts'
import { ruledOutOf, unknownOf } from './ruled-out.ts'
import { deathRules, nothingFits, whenNothingFits } from './rules/index.ts'
import type { DeathRule, Finding } from './verdict.ts'

const nothingElse = { job: null, ring: null }

/** Classifies a runner's end; the record holds the verdict and the facts behind it. */
export function classifyDeath<Job extends JobReport = JobAtEnd>(
  ending: DeathFacts['ending'],
  known: { readonly job: Job | null; readonly ring: DeathFacts['ring'] } = nothingElse,
): DeathRecord<Job> {
  const whole = ending !== null && ending.missing.length === 0
  return { outcome: whole ? 'complete' : 'incomplete', ...verdictOf({ ending, ...known }), ending, ...known }
}

/** A verdict that did not come from these rules, such as that of recovery about a lost host. */
export function plainVerdict(rule: string, finding: Finding): Verdict {
  const { ruledOut = [], unknown = [], ...rest } = finding
  return { ...rest, rule, ruledOut, unknown, nextSteps: [] }
}

/** Classifies an end by a log alone; never more than likely. */
export function classifyLog(tail: string, endedAt: number): DeathRecord {
  return classifyDeath({
    exitCode: null,
    signal: null,
    startedAt: endedAt,
    endedAt,
    tail,
    samples: [],
    pod: null,
    oomKills: null,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    stopRequestedBy: null,
    missing: ['everything but its log'],
  })
}

/**
 * The first rule that proves wins, otherwise the first that fires: a proof further down is not hidden by a guess above, so
 * that losing evidence never makes a verdict surer.
 */
function verdictOf(facts: DeathFacts): Verdict {
  const known = knownOf(facts)
  const judged = known ?? facts
  let first: Verdict | null = null
  for (const rule of deathRules) {
    const finding = rule.fires(judged)
    if (finding === null || (first !== null && finding.confidence !== 'proven')) continue
    first = compose(rule, finding, known)
    if (finding.confidence === 'proven') return first
  }
  return first ?? compose(nothingFits, whenNothingFits(known), known)
}

function compose(
  { name, nextSteps }: Omit<DeathRule, 'fires'>,
  finding: Finding,
  known: Known | null,
): Verdict {
  const { class: deathClass, confidence, because, ruledOut = [], unknown = [] } = finding
  return {
    class: deathClass,
    rule: name,
    confidence,
    because: known === null ? because : [...because, ...alsoOf(known, deathClass)],
    ruledOut: known === null ? ruledOut : [...ruledOut, ...ruledOutOf(known, deathClass)],
    unknown: known === null ? unknown : [...unknown, ...unknownOf(known, deathClass)],
    nextSteps,
  }
}
