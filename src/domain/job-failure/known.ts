import { type LogSigns, signsOf } from '../death/index.ts'
import type { JobFailureFacts } from './facts.ts'
import { type FailedStep, failedStepOf } from './failed-step.ts'

/** The facts of one failure with what is derived from them once for all rules. */
export interface KnownFailure extends JobFailureFacts {
  readonly step: FailedStep | null
  /** Signs in what the failed step wrote, or in the whole log where the step is not known. */
  readonly signs: LogSigns
  /** Lines of the forge or of the log that say how the job ended. */
  readonly reported: readonly { readonly source: 'forge' | 'log'; readonly text: string }[]
}

/** `##[error]` lines that are looked at. */
const errorLinesMax = 20

export function knownFailure(facts: JobFailureFacts): KnownFailure {
  const step = failedStepOf(facts)
  const written = step?.log ?? facts.log ?? ''
  const errors = [...written.matchAll(/##\[error\](.*)$/gm)].slice(-errorLinesMax)
  return {
    ...facts,
    step,
    signs: signsOf(written),
    reported: [
      ...(facts.job?.annotations ?? []).map(({ message }) => ({ source: 'forge' as const, text: message })),
      ...errors.map(([, text = '']) => ({ source: 'log' as const, text: text.trim() })),
    ],
  }
}

/**
 * Whether nothing of the runner can have been the cause: only then does the forge's word about the job prove anything. It
 * ended in order or lives, cluster or agent counted no kill for memory, and what the job wrote was read.
 */
export function isRunnerRuledOut({ runner, log }: JobFailureFacts): boolean {
  if (runner === null || log === null || runner.isLost) return false
  const isInOrder =
    runner.end === null || (runner.end.class === 'clean' && runner.end.confidence !== 'unknown')
  return isInOrder && runner.isBeyondItsJob && runner.memory.oomKills === 0
}

/** The first thing that forge or log say and that fits, as a sentence; null: neither does. */
export function sentenceFor({ reported }: KnownFailure, pattern: RegExp): string | null {
  const found = reported.find(({ text }) => pattern.test(text))
  if (found === undefined) return null
  return `${found.source === 'forge' ? 'An annotation' : 'Its log'} says: "${found.text}"`
}
