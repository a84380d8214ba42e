import type { Conclusion, Instant, JobFacts } from './model.ts'

export interface JobStep {
  readonly number: number
  readonly name: string
  readonly status: 'in_progress' | 'completed'
  readonly conclusion: Conclusion | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
}

/**
 * The steps of a job: its script is one, between the two that GitHub's runner adds. None before a runner has it; of a
 * runner that was given up, the step that it was at has no end.
 */
export function jobSteps(job: JobFacts): readonly JobStep[] {
  const { startedAt, completedAt, conclusion } = job
  if (startedAt === null) return []
  const done = { status: 'completed', startedAt, completedAt: startedAt } as const
  const setUp: JobStep = { number: 1, name: 'Set up job', conclusion: 'success', ...done }
  if (completedAt === null || job.isLost === true) {
    const open = { status: 'in_progress', conclusion: null, startedAt, completedAt: null } as const
    return [setUp, { number: 2, name: 'Run script', ...open }]
  }
  return [
    setUp,
    { number: 2, name: 'Run script', status: 'completed', conclusion, startedAt, completedAt },
    { number: 3, name: 'Complete job', conclusion: 'success', ...done, startedAt: completedAt, completedAt },
  ]
}
