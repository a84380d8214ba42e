import { HoldfastError } from '../domain/errors/index.ts'
import { type Job, jobFields } from '../domain/job/index.ts'
import {
  type Action,
  boundedActOf,
  calmMsOf,
  type Decision,
  decide,
  type Facts,
  type Subject,
  unforeseen,
  unread,
  type View,
} from '../domain/recovery/index.ts'
import type { NewDecision } from '../ports/ledger.ts'
import { act, type Hands, nameOf } from './act.ts'
import { holdBack } from './held-acts.ts'
import { observe } from './observe.ts'

export type RecoveryDeps = Hands

/** Rounds of reading facts for one decision, before it is left for later. */
const roundsMax = 4
/** How soon a subject is looked at again when the forge or the host could not be read. */
const unreadableMs = 5_000
/** How soon a subject is looked at again after its actions: their result is checked. */
const checkAgainMs = 5_000

/** Looks at one subject: decides, reads missing facts, decides again, acts, and stores the decision. */
export async function look(subject: Subject, deps: RecoveryDeps, signal: AbortSignal): Promise<void> {
  await lookUpTo('forge', subject, deps, signal)
}

/**
 * Looks at a subject with the ledger and the host alone, so that a decision that needs no forge waits for none. Where a
 * rule needs the forge, the subject is left as it is.
 */
export function lookHere(
  subject: Subject,
  deps: RecoveryDeps,
  signal: AbortSignal,
): Promise<'done' | 'needs-forge'> {
  return lookUpTo('host', subject, deps, signal)
}

async function lookUpTo(
  reach: 'host' | 'forge',
  given: Subject,
  deps: RecoveryDeps,
  signal: AbortSignal,
): Promise<'done' | 'needs-forge'> {
  const subject = asOurs(given, deps)
  if (isOfOtherHost(subject, deps)) return 'done'
  let facts: Facts = unread
  for (let round = 0; round < roundsMax; round += 1) {
    const now = await deps.ledger.now()
    const decision = decide({ subject, facts }, now)
    if (decision.kind === 'leave') {
      if (decision.reason === unforeseen) throw unforeseenError(subject)
      return later(subject, calmMsOf(subject, now), deps)
    }
    if (decision.kind === 'wait') return later(subject, decision.inMs, deps)
    if (decision.kind === 'act') {
      await applyDecision({ subject, facts }, decision, deps, signal)
      return 'done'
    }
    if (reach === 'host' && decision.facts.some((name) => name !== 'hosted')) return 'needs-forge'
    facts = await observe(subject, decision.facts, facts, deps, signal)
    const blind = decision.facts.find((name) => !facts[name].known)
    if (blind !== undefined) {
      deps.log.debug(
        { rule: decision.rule, fact: blind, ...nameOf(subject) },
        'a fact could not be read: nothing is done',
      )
      break
    }
  }
  return later(subject, unreadableMs, deps)
}

/** Left alone like any other, and an alarm: the failed look is counted and opens its incident, and nothing else waits for it. */
function unforeseenError(subject: Subject): HoldfastError {
  const { kind, id } = nameOf(subject)
  return new HoldfastError('E_BUG', {
    what: `no rule and no reason to leave it alone holds for ${kind} ${id}`,
  })
}

/** However late our own heartbeat is, a runner on our host is ours to read. */
function asOurs(subject: Subject, { host }: RecoveryDeps): Subject {
  if (subject.kind !== 'runner' || subject.hostLostSince === undefined || subject.runner.host !== host.id)
    return subject
  const { hostLostSince: _since, ...ours } = subject
  return ours
}

/** Whether the subject was due here while its host was lost. A host that is back reports its runners itself. */
function isOfOtherHost(subject: Subject, { host }: RecoveryDeps): boolean {
  return subject.kind === 'runner' && subject.runner.host !== host.id && subject.hostLostSince === undefined
}

async function later(subject: Subject, inMs: number, { ledger }: RecoveryDeps): Promise<'done'> {
  await ledger.postpone(nameOf(subject), inMs)
  return 'done'
}

/** Stores the decision before its actions are applied: a crash in between shows what was about to be done. */
async function applyDecision(
  view: View,
  decision: Extract<Decision, { kind: 'act' }>,
  deps: RecoveryDeps,
  signal: AbortSignal,
): Promise<void> {
  const { subject } = view
  const row = rowOf(view, decision)
  const bounded = boundedActOf(view, decision.actions)
  const recorded =
    bounded === null
      ? ({ kind: 'recorded', id: await deps.ledger.recordDecision(row) } as const)
      : await deps.ledger.recordBounded(row, bounded, deps.bounds)
  if (recorded.kind === 'over') return holdBack(nameOf(subject), row, recorded.over, deps)
  const { id } = recorded
  deps.metrics.count('holdfast_decisions_total', { rule: decision.rule })
  // Postponed first, so that a subject whose actions always fail is not looked at in a tight loop.
  await deps.ledger.postpone(nameOf(subject), checkAgainMs)
  const begun: Action[] = []
  const releaseUnless = async (done: readonly Action[]) => {
    if (bounded !== null && boundedActOf(view, done)?.kind !== bounded.kind) await deps.ledger.releaseAct(id)
  }
  const acting = act(subject, decision.rule, decision.actions, deps, signal, (action) => begun.push(action))
  const { outcome, done } = await acting.catch(async (error: unknown) => {
    await releaseUnless(begun) // an action that had begun may have been done
    throw error
  })
  await releaseUnless(done)
  await deps.ledger.recordOutcome(id, outcome)
  const job = jobOf(subject)
  const about = job === undefined ? {} : jobFields(job)
  deps.log.info({ rule: decision.rule, outcome, ...nameOf(subject), ...about }, 'recovery decided')
}

function rowOf({ subject, facts }: View, decision: Extract<Decision, { kind: 'act' }>): NewDecision {
  const job = jobOf(subject)
  const attempt =
    subject.kind === 'runner'
      ? subject.last?.attempt
      : subject.kind === 'attempt'
        ? subject.attempt
        : undefined
  const runner = subject.kind === 'job' ? undefined : subject.runner
  return {
    rule: decision.rule,
    jobId: job?.id ?? null,
    attemptId: attempt?.id ?? null,
    runnerId: runner?.id ?? null,
    facts: { jobState: job?.state, attemptState: attempt?.state, runnerState: runner?.state, ...facts },
    actions: decision.actions,
  }
}

function jobOf(subject: Subject): Job | undefined {
  return subject.kind === 'runner' ? subject.last?.job : subject.job
}
