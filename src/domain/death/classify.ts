import type { Ending } from './ending.ts'
import { deletedRule, podRules, stuckRule, whyNotStarted } from './pod-rules.ts'
import type { DeathFacts, DeathRecord, Verdict } from './record.ts'
import { type DeathRule, endedBy, type Finding, likely, proven } from './verdict.ts'

/** In order; the first that fires gives the class. None says more than the evidence: 137 alone is not an OOM. */
export const deathRules: readonly DeathRule[] = [
  { name: 'kernel counted an OOM kill', fires: containerOom },
  ...podRules,
  stuckRule,
  { name: 'we asked it to stop', fires: stoppedByUs },
  deletedRule,
  { name: 'ended by SIGTERM', fires: terminated },
  { name: 'ended by SIGKILL without a memory sign', fires: sigkill },
  { name: 'ended by a fault signal', fires: crash },
  { name: 'never started', fires: neverStarted },
  { name: 'exit code 0', fires: clean },
  { name: 'another exit code', fires: failed },
]

const nothingElse = { job: null, ring: null }

/** The class of a runner's end, with the facts that say so. */
export function classifyDeath(
  ending: DeathFacts['ending'],
  known: Omit<DeathFacts, 'ending'> = nothingElse,
): DeathRecord {
  const whole = ending !== null && ending.missing.length === 0
  return { outcome: whole ? 'complete' : 'incomplete', ...verdictOf(ending), ending, ...known }
}

/** A verdict that somebody reached without these rules, such as a runner that is given up. */
export function plainVerdict(rule: string, finding: Finding): Verdict {
  return { ...finding, rule, ruledOut: [], unknown: [], nextSteps: [] }
}

function verdictOf(ending: Ending | null): Verdict {
  if (ending === null) {
    const because = 'Nothing of it was left before anything could be read.'
    return plainVerdict('nothing was left', proven('vanished', because))
  }
  for (const rule of deathRules) {
    const finding = rule.fires(ending)
    if (finding !== null) return plainVerdict(rule.name, finding)
  }
  const because = ['Nothing that was read explains it.']
  return plainVerdict('nothing fits', { class: 'unknown', confidence: 'unknown', because })
}

function containerOom(ending: Ending): Finding | null {
  if (ending.oomKills === null || ending.oomKills === 0 || ending.exitCode === 0) return null
  return proven(
    'container-oom',
    `The kernel killed ${ending.oomKills} process(es) of its group at the memory limit.`,
  )
}

function stoppedByUs(ending: Ending): Finding | null {
  if (ending.stopRequestedBy === null || ending.exitCode === 0) return null
  return proven('terminated', `Holdfast stopped it: ${ending.stopRequestedBy}.`)
}

function terminated(ending: Ending): Finding | null {
  if (!endedBy(ending, 'SIGTERM', 15)) return null
  return proven('terminated', 'SIGTERM ended it; not by Holdfast. The sender is unknown.')
}

function sigkill(ending: Ending): Finding | null {
  if (!endedBy(ending, 'SIGKILL', 9)) return null
  return likely('sigkill-unknown', `SIGKILL ended it; ${memorySign(ending)}.`)
}

function memorySign({ pod, oomKills }: Ending): string {
  if (pod !== null) return 'the kubelet does not call it an OOM kill'
  return oomKills === null
    ? 'whether memory ran out could not be read'
    : 'the kernel counted no OOM kill in its group'
}

const faultSignals: ReadonlyMap<string, number> = new Map([
  ['SIGSEGV', 11],
  ['SIGABRT', 6],
  ['SIGILL', 4],
  ['SIGFPE', 8],
  ['SIGBUS', 7],
])

function crash(ending: Ending): Finding | null {
  for (const [signal, number] of faultSignals) {
    if (endedBy(ending, signal, number)) return proven('crash', `${signal} ended it.`)
  }
  return null
}

function neverStarted(ending: Ending): Finding | null {
  if (ending.startedAt !== null) return null
  const why = ending.pod === null ? [] : whyNotStarted(ending.pod)
  return why === null ? null : proven('never-started', 'Its program was never started.', ...why)
}

function clean(ending: Ending): Finding | null {
  if (ending.exitCode !== 0) return null
  const because = ['It ended with exit code 0.']
  if (ending.oomKills !== null && ending.oomKills > 0) {
    because.push(
      `The kernel killed ${ending.oomKills} process(es) of its job at the memory limit; the runner lived on.`,
    )
  }
  return likely('clean', ...because)
}

function failed(ending: Ending): Finding | null {
  if (ending.exitCode === null) return null
  return proven('failed', `It ended with exit code ${ending.exitCode}.`)
}
