import { classifyDeath } from '../domain/death/index.ts'
import type { Action, Subject } from '../domain/recovery/index.ts'
import type { Forge } from '../ports/forge.ts'
import type { Cause, Ledger } from '../ports/ledger.ts'
import type { RunnerHost } from '../ports/runner-host.ts'

export interface Hands {
  readonly ledger: Ledger
  readonly forge: Forge
  readonly host: RunnerHost
  readonly stopGraceMs: number
  readonly startDeadlineMs: number
}

/** What an action came to: a word for the record, and whether the next one may follow. */
interface Done {
  readonly outcome: string
  readonly goOn: boolean
}

/** Carries out a decision's actions in order; the first that is refused ends the list. */
export async function act(
  subject: Subject,
  rule: string,
  actions: readonly Action[],
  hands: Hands,
  signal: AbortSignal,
): Promise<{ readonly outcome: string; readonly complete: boolean }> {
  const outcomes: string[] = []
  for (const action of actions) {
    const { outcome, goOn } = await carryOut(subject, action, { source: 'recovery', rule }, hands, signal)
    outcomes.push(`${action.kind}: ${outcome}`)
    if (!goOn) return { outcome: outcomes.join('; '), complete: false }
  }
  return { outcome: outcomes.join('; '), complete: true }
}

async function carryOut(
  subject: Subject,
  action: Action,
  cause: Cause,
  hands: Hands,
  signal: AbortSignal,
): Promise<Done> {
  const { ledger, forge, host } = hands
  switch (action.kind) {
    case 'hear':
      return went((await ledger.hear(action.word, cause)).kind)
    case 'remove-registration': {
      const removed = await forge.removeRunner(action, action.forgeRunnerId, signal)
      return { outcome: removed, goOn: removed !== 'busy' }
    }
    case 'end-attempt': {
      const end = { kind: action.end, proof: action.evidence, fate: action.fate }
      const ended = await ledger.endAttempt(action.handle, end, cause)
      return { outcome: ended.kind, goOn: ended.kind === 'ok' }
    }
    case 'mark-registered':
      return went((await ledger.registered(action.handle, hands.startDeadlineMs, cause)).kind)
    case 'close-job': {
      const closed = await ledger.closeJob(action.jobId, action.conclusion, cause)
      return { outcome: closed, goOn: closed === 'closed' }
    }
    case 'requeue-job': {
      const requeued = await ledger.requeueJob(action.jobId, cause)
      return { outcome: requeued, goOn: requeued === 'requeued' }
    }
    case 'fence': {
      const fenced = await ledger.fence(action.runnerId, action.reason, cause)
      return { outcome: fenced, goOn: fenced === 'fenced' }
    }
    case 'stop-runner':
      await host.stop(action.runnerName, action.reason, hands.stopGraceMs)
      return went('asked')
    case 'seal-vanished':
      return went(await ledger.sealDeath(action.runnerId, classifyDeath(null), 'vanished', cause))
    case 'look-again':
      await ledger.postpone(nameOf(subject), action.inMs)
      return went(`in ${action.inMs} ms`)
  }
}

export function nameOf(subject: Subject): { kind: Subject['kind']; id: number } {
  if (subject.kind === 'attempt') return { kind: 'attempt', id: subject.attempt.id }
  if (subject.kind === 'runner') return { kind: 'runner', id: subject.runner.id }
  return { kind: 'job', id: subject.job.id }
}

function went(outcome: string): Done {
  return { outcome, goOn: true }
}
