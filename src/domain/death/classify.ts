import { alsoOf } from './also.ts'
import { ruledOutOf, unknownOf } from './beside.ts'
import { type Known, knownOf } from './known.ts'
import type { DeathFacts, DeathRecord, Verdict } from './record.ts'
import { deathRules, nothingFits, whenNothingFits } from './rules/index.ts'
import type { DeathRule, Finding } from './verdict.ts'

const nothingElse = { job: null, ring: null }

/** The class of a runner's end, with the facts that say so. */
export function classifyDeath(
  ending: DeathFacts['ending'],
  known: Omit<DeathFacts, 'ending'> = nothingElse,
): DeathRecord {
  const whole = ending !== null && ending.missing.length === 0
  return { outcome: whole ? 'complete' : 'incomplete', ...verdictOf({ ending, ...known }), ending, ...known }
}

/** A verdict that somebody reached without these rules, such as a runner that is given up. */
export function plainVerdict(rule: string, finding: Finding): Verdict {
  const { ruledOut = [], unknown = [], ...rest } = finding
  return { ...rest, rule, ruledOut, unknown, nextSteps: [] }
}

/** What a log says where nothing else is known; never more than likely. */
export function classifyLog(tail: string, endedAt: number): DeathRecord {
  return classifyDeath({
    ...{ exitCode: null, signal: null, startedAt: endedAt, endedAt, tail, samples: [], pod: null },
    ...{ oomKills: null, memoryPeakBytes: null, memoryLimitBytes: null, stopRequestedBy: null },
    missing: ['everything but its log'],
  })
}

/** What is proven goes before what is likely, wherever it stands: so that no evidence that is lost makes it surer. */
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
    ...{ class: deathClass, rule: name, confidence },
    because: known === null ? because : [...because, ...alsoOf(known, deathClass)],
    ruledOut: known === null ? ruledOut : [...ruledOut, ...ruledOutOf(known, deathClass)],
    unknown: known === null ? unknown : [...unknown, ...unknownOf(known, deathClass)],
    nextSteps,
  }
}
