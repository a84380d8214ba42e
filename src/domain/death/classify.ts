import type { DeathClass, DeathRecord, Ending } from './record.ts'

interface Verdict {
  readonly class: DeathClass
  readonly confidence: DeathRecord['confidence']
  readonly because: readonly string[]
}

interface DeathRule {
  readonly name: string
  readonly fires: (ending: Ending) => Verdict | null
}

/** In order; the first that fires gives the class. None says more than the evidence: 137 alone is not an OOM. */
export const deathRules: readonly DeathRule[] = [
  { name: 'kernel counted an OOM kill', fires: containerOom },
  { name: 'we asked it to stop', fires: stoppedByUs },
  { name: 'ended by SIGTERM', fires: terminated },
  { name: 'ended by SIGKILL without a memory sign', fires: sigkill },
  { name: 'ended by a fault signal', fires: crash },
  { name: 'never started', fires: neverStarted },
  { name: 'exit code 0', fires: clean },
  { name: 'another exit code', fires: failed },
]

/** The class of a runner's end, with the facts that say so. */
export function classifyDeath(ending: Ending | null): DeathRecord {
  if (ending === null) {
    return record(null, {
      class: 'vanished',
      confidence: 'proven',
      because: ['Its process and its folder were gone before anything could be read.'],
    })
  }
  for (const rule of deathRules) {
    const verdict = rule.fires(ending)
    if (verdict !== null) return record(ending, verdict)
  }
  return record(ending, {
    class: 'unknown',
    confidence: 'unknown',
    because: ['Nothing that was read explains it.'],
  })
}

function record(ending: Ending | null, verdict: Verdict): DeathRecord {
  const whole = ending !== null && ending.missing.length === 0
  return { outcome: whole ? 'complete' : 'incomplete', ...verdict, ending }
}

function containerOom(ending: Ending): Verdict | null {
  if (ending.oomKills === null || ending.oomKills === 0 || ending.exitCode === 0) return null
  return {
    class: 'container-oom',
    confidence: 'proven',
    because: [`The kernel killed ${ending.oomKills} process(es) of its group at the memory limit.`],
  }
}

function stoppedByUs(ending: Ending): Verdict | null {
  if (ending.stopRequestedBy === null || ending.exitCode === 0) return null
  return {
    class: 'terminated',
    confidence: 'proven',
    because: [`Holdfast stopped it: ${ending.stopRequestedBy}.`],
  }
}

function terminated(ending: Ending): Verdict | null {
  if (!endedBy(ending, 'SIGTERM', 15)) return null
  return {
    class: 'terminated',
    confidence: 'proven',
    because: ['SIGTERM ended it; not by Holdfast. The sender is unknown.'],
  }
}

function sigkill(ending: Ending): Verdict | null {
  if (!endedBy(ending, 'SIGKILL', 9)) return null
  const memory =
    ending.oomKills === null
      ? 'whether memory ran out could not be read'
      : 'the kernel counted no OOM kill in its group'
  return { class: 'sigkill-unknown', confidence: 'likely', because: [`SIGKILL ended it; ${memory}.`] }
}

const faultSignals: ReadonlyMap<string, number> = new Map([
  ['SIGSEGV', 11],
  ['SIGABRT', 6],
  ['SIGILL', 4],
  ['SIGFPE', 8],
  ['SIGBUS', 7],
])

function crash(ending: Ending): Verdict | null {
  for (const [signal, number] of faultSignals) {
    if (endedBy(ending, signal, number))
      return { class: 'crash', confidence: 'proven', because: [`${signal} ended it.`] }
  }
  return null
}

function neverStarted(ending: Ending): Verdict | null {
  if (ending.startedAt !== null) return null
  return { class: 'never-started', confidence: 'proven', because: ['Its program was never started.'] }
}

function clean(ending: Ending): Verdict | null {
  if (ending.exitCode !== 0) return null
  const because = ['It ended with exit code 0.']
  if (ending.oomKills !== null && ending.oomKills > 0) {
    because.push(
      `The kernel killed ${ending.oomKills} process(es) of its job at the memory limit; the runner lived on.`,
    )
  }
  return { class: 'clean', confidence: 'likely', because }
}

function failed(ending: Ending): Verdict | null {
  if (ending.exitCode === null) return null
  return { class: 'failed', confidence: 'proven', because: [`It ended with exit code ${ending.exitCode}.`] }
}

/** A launcher that passes a signal on exits with 128 + its number. */
function endedBy(ending: Ending, signal: string, number: number): boolean {
  return ending.signal === signal || ending.exitCode === 128 + number
}
