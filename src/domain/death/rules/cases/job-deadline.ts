import { aJobAtEnd, endedAt } from '../../testing.ts'
import { exit, type RuleCase } from './case.ts'

const pastDeadline = {
  at: endedAt - 60_000,
  limitMs: 3_600_000,
  ranMs: 3_601_000,
  cancel: 'done' as const,
}
const cancelled = { forgeStatus: 'completed', conclusion: 'cancelled' }

export const jobDeadlineCases: readonly RuleCase[] = [
  {
    rule: "its job ran into its pool's limit",
    fires: { ending: exit(0), job: aJobAtEnd({ ...cancelled, pastDeadline }) },
    class: 'job-deadline',
    confidence: 'likely',
    not: { ending: exit(0), job: aJobAtEnd(cancelled) },
    otherwise: 'clean',
  },
]
