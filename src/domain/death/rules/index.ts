import { type Known, knownOf } from '../known.ts'
import { quote } from '../log.ts'
import { type DeathRule, type Finding, unsure } from '../verdict.ts'
import { buildLogRules } from './build-log.ts'
import { disruptionRules } from './disruption.ts'
import { evictionRules } from './eviction.ts'
import { doneRule, exitCodeRules } from './exit-codes.ts'
import { gaveUpRules } from './gave-up.ts'
import { guestMemoryRules, memoryHints } from './guest-memory.ts'
import { hostRules } from './host.ts'
import { jobDeadlineRules } from './job-deadline.ts'
import { kubeletKillRules } from './kubelet-kills.ts'
import { memoryRules } from './memory.ts'
import { runnerProgramRules } from './runner-program.ts'
import { signalRules } from './signals.ts'
import { startRules, unstartedRules } from './starts.ts'
import { stopRules } from './stops.ts'

/** Rules of one kind, and why they stand at this place of the table. */
export interface RuleGroup {
  readonly title: string
  readonly why: string
  readonly rules: readonly DeathRule[]
}

const nothingLeft: DeathRule = {
  name: 'nothing was left',
  gives: ['vanished'],
  means: 'The runner was gone before anything of its end could be read.',
  needs: 'Nothing of it at its host, and no record.',
  mustNotConclude: 'How it ended. That nothing was left is itself worth an alarm.',
  nextSteps: ['See who removes pods past their finalizer, or whether the machine was lost as a whole.'],
  fires: (facts) =>
    knownOf(facts) === null
      ? unsure('vanished', 'Nothing of it was left before anything could be read.')
      : null,
}

/** The row of the table for an end for which no rule fires. */
export const nothingFits: Omit<DeathRule, 'fires'> = {
  name: 'nothing fits',
  gives: ['unknown'],
  means: 'What was read explains nothing, or too little was read.',
  needs: 'None of the rules above holds.',
  mustNotConclude: 'Anything.',
  nextSteps: [
    'Read what could not be seen, below; the agent on the nodes and vitals in the runner would show more.',
  ],
}

/** The finding where no rule fires, with hints from its output that are too weak for a class. */
export function whenNothingFits(known: Known | null): Finding {
  const log = known?.log ?? {}
  const hints = [
    ...(known === null ? [] : memoryHints(known)),
    ...(log.interrupted === undefined ? [] : [quote(log, 'interrupted')]),
    ...(log.terminatedError === undefined ? [] : [quote(log, 'terminatedError')]),
  ]
  return unsure('unknown', 'Nothing that was read explains it.', ...hints)
}

/** The rules in order: the first that proves gives the class, and where none does, the first that fires. */
export const ruleGroups: readonly RuleGroup[] = [
  { title: 'Nothing to judge', why: 'The other rules need an end that was read.', rules: [nothingLeft] },
  {
    title: 'Done',
    why: 'A job that succeeded at the forge was not lost, whatever happened to its pod after that.',
    rules: [doneRule],
  },
  {
    title: 'Memory, by kernel and kubelet',
    why: 'They name the cause, from outside; the exit code only shows how, and deletions follow such an end.',
    rules: memoryRules,
  },
  {
    title: 'Evictions',
    why: 'The kubelet says why; the signals that it sends then would say less. Its own reasons stand before others.',
    rules: evictionRules,
  },
  {
    title: 'Disruptions of the cluster',
    why: 'The cluster says who asked for its removal. Before our own stops, which only follow it.',
    rules: disruptionRules,
  },
  {
    title: 'Kills of the kubelet',
    why: 'It says which probe or hook was the reason; the signal that it sent says less.',
    rules: kubeletKillRules,
  },
  {
    title: 'Starts that failed',
    why: 'What kept it from starting is why, also where we gave it up or somebody deleted it then.',
    rules: startRules,
  },
  {
    title: "Past the pool's limit for a job",
    why: 'Before the stops and signals, which only enforce it, and before what the forge says after it was asked to cancel.',
    rules: jobDeadlineRules,
  },
  {
    title: 'Given up by the forge',
    why: 'Before our own stops and the signals: these follow when a runner that the forge gave up does not exit by itself.',
    rules: gaveUpRules,
  },
  {
    title: 'Stops',
    why: 'Who asked is known, or that somebody did: more than the signal that came of it says.',
    rules: stopRules,
  },
  {
    title: 'Kills, with signs of memory',
    why: 'Before the bare signal, which is the same for every kill; nobody asked for it, or it would stand above.',
    rules: guestMemoryRules,
  },
  { title: 'Signals', why: 'How it ended is certain; nothing above says why.', rules: signalRules },
  {
    title: 'Never started',
    why: 'Of what never ran there is no log of its own; the log rules below would read that of another container.',
    rules: unstartedRules,
  },
  {
    title: "The runner's own program",
    why: 'Its launcher makes exit code 0 of failures, so its lines stand before exit codes. The log can lie.',
    rules: runnerProgramRules,
  },
  {
    title: 'What the machine was short of',
    why: 'Causes before consequences: a full table, disk or network, then CPU starvation, which needs no other sign.',
    rules: hostRules,
  },
  {
    title: "The job's log",
    why: 'Written by the job itself, about a part of it: the weakest ground but for a bare code.',
    rules: buildLogRules,
  },
  { title: 'Exit codes', why: 'All that is left where nothing else says anything.', rules: exitCodeRules },
]

export const deathRules: readonly DeathRule[] = ruleGroups.flatMap(({ rules }) => rules)

export { answeredByStep } from './exit-codes.ts'
export { judgeLiving } from './gave-up.ts'
export { askedToLeaveRule } from './starts.ts'
