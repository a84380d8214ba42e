import type { TriageCase } from './case.ts'

/** The state of a case, as far as it decides where to look. */
export type Situation = 'job-waits' | 'job-runs' | 'job-failed' | 'job-over' | 'runner-starts' | 'runner-idle'

/** An entry of the troubleshooting guide: its number, its question, the audit that answers it, and when it applies. */
export interface GuideEntry {
  readonly entry: string
  readonly question: string
  /** Name of the audit; null where the job's own steps and log answer it. */
  readonly audit: string | null
  readonly situations: readonly Situation[]
}

/** The guide, in the order in which its entries are asked: causes before what they cause. */
export const guide: readonly GuideEntry[] = [
  { entry: 'E2', question: 'Is a credential out of calls?', audit: 'credentials', situations: ['job-waits'] },
  {
    entry: 'E3',
    question: 'Is an image refused?',
    audit: 'pull-secrets',
    situations: ['job-waits', 'runner-starts'],
  },
  {
    entry: 'E9 to E11',
    question: 'Do the listener, a rollover or old runners block the set?',
    audit: 'runtime',
    situations: ['job-waits', 'job-runs', 'job-failed', 'runner-starts', 'runner-idle'],
  },
  {
    entry: 'E4',
    question: 'Is every runner of its labels taken, and by whom?',
    audit: 'burst',
    situations: ['job-waits'],
  },
  {
    entry: 'E4',
    question: 'Do several repositories share its labels?',
    audit: 'shared-labels',
    situations: ['job-waits'],
  },
  {
    entry: 'E15',
    question: 'Does a pod wait, and for what?',
    audit: 'pending',
    situations: ['job-waits', 'runner-starts'],
  },
  {
    entry: 'E8',
    question: 'Was its runner lost?',
    audit: 'network',
    situations: ['job-runs', 'job-failed', 'runner-idle'],
  },
  {
    entry: 'E5',
    question: 'Was it killed for memory, or evicted?',
    audit: 'oom',
    situations: ['job-runs', 'job-failed', 'runner-idle'],
  },
  {
    entry: 'E7',
    question: 'Is a file table full, or a job done that stays open?',
    audit: 'file-table',
    situations: ['job-runs', 'job-failed'],
  },
  {
    entry: 'E4',
    question: 'Is a disk of its node full?',
    audit: 'imagefs',
    situations: ['job-runs', 'job-failed', 'runner-starts'],
  },
  {
    entry: 'E6, E12, E16',
    question: 'Which step failed, and does its log say why?',
    audit: null,
    situations: ['job-failed'],
  },
  {
    entry: 'E13',
    question: 'Does its lane use the Nix cache?',
    audit: 'nix-cache',
    situations: ['job-failed'],
  },
]

export function situationOf({ job, runner, pod }: TriageCase): Situation {
  if (job !== null) {
    if (job.status === 'in_progress') return 'job-runs'
    if (job.status !== 'completed') return 'job-waits'
    return job.conclusion === 'success' || job.conclusion === 'skipped' ? 'job-over' : 'job-failed'
  }
  if (pod?.phase === 'Pending' || (pod === null && runner?.phase !== 'Running')) return 'runner-starts'
  if (runner?.job !== null && runner?.job !== undefined) return 'job-runs'
  return pod?.phase === 'Failed' ? 'job-failed' : 'runner-idle'
}

/** The entries that apply to a case. */
export function entriesOf(situation: Situation): readonly GuideEntry[] {
  return guide.filter(({ situations }) => situations.includes(situation))
}
