import { type AttemptComparison, type RunAttempt, stepOf } from '../../domain/run-attempt/index.ts'
import type { ApiAttempts } from '../contracts/attempts.ts'
import { isoOrNull } from './time.ts'

/** Older attempts are left out: a job that was run more often has nothing new to say. */
const attemptsMax = 20

/** The attempts of a job as programs read them; `clean` makes words of others harmless. */
export function attemptsView(
  { attempts, outcome, sentence, mustNotConclude }: AttemptComparison,
  clean: (text: string) => string = (text) => text,
): ApiAttempts {
  return {
    attempts: attempts.slice(-attemptsMax).map((attempt) => attemptView(attempt, clean)),
    outcome,
    sentence: clean(sentence),
    mustNotConclude: mustNotConclude.map(clean),
  }
}

function attemptView(attempt: RunAttempt, clean: (text: string) => string): ApiAttempts['attempts'][number] {
  const { number, job, node, verdict, isCarriedOver } = attempt
  const cleanOrNull = (text: string | null) => (text === null ? null : clean(text))
  return {
    number,
    forgeJobId: job.jobId,
    commit: cleanOrNull(job.headSha),
    runner: cleanOrNull(job.runnerName),
    node: cleanOrNull(node),
    status: clean(job.status),
    conclusion: cleanOrNull(job.conclusion),
    step: cleanOrNull(stepOf(attempt)),
    verdict: verdict && { class: verdict.class, confidence: verdict.confidence },
    isCarriedOver,
    startedAt: isoOrNull(job.startedAt),
    completedAt: isoOrNull(job.completedAt),
  }
}
