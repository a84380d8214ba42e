import { counted, durationText } from '../../format.ts'
import { type ForgeJobFact, isWhole } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { DeclaredLane } from '../contract/contract.ts'
import type { Finding } from '../finding.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { activeOf, holderCounts, type LabelLoad, labelKey, maximumOf } from '../label-load.ts'
import { waitingJobs } from '../queue-by-label.ts'
import { fairnessContention } from './classes.ts'

type Waiting = ForgeJobFact & { readonly queuedAt: number }

/** Labels that several repositories hold while jobs wait, unless their lane declares a policy. */
export function contendedLabels(
  input: AuditInput,
  loads: ReadonlyMap<string, LabelLoad>,
): readonly Finding[] {
  const lanes = new Map((input.contract?.lanes ?? []).map((lane) => [labelKey(lane.label), lane]))
  const waiting = waitingByLabel(input)
  return [...loads].flatMap(([key, load]) => {
    const jobs = waiting.get(key) ?? []
    const repositories = new Set(load.sets.flatMap(({ holders }) => holders.map((each) => each.repository)))
    repositories.delete(null)
    const lane = lanes.get(key) ?? null
    if (jobs.length === 0 || repositories.size < 2 || lane?.hasPriorityPolicy === true) return []
    return [contentionFinding(input, load, jobs, lane)]
  })
}

function waitingByLabel({ snapshot }: AuditInput): ReadonlyMap<string, readonly Waiting[]> {
  const byLabel = new Map<string, Waiting[]>()
  for (const job of waitingJobs(snapshot)) {
    for (const key of new Set(job.labels.map(labelKey))) {
      const known = byLabel.get(key)
      if (known === undefined) byLabel.set(key, [job])
      else known.push(job)
    }
  }
  return byLabel
}

function contentionFinding(
  { snapshot }: AuditInput,
  load: LabelLoad,
  jobs: readonly Waiting[],
  lane: DeclaredLane | null,
): Finding {
  const { cluster, forge, takenAt } = snapshot
  const holders = load.sets.flatMap((each) => each.holders)
  const longest = jobs.reduce((oldest, job) => (job.queuedAt < oldest.queuedAt ? job : oldest))
  const waitingFor = [...new Set(jobs.map(({ repository }) => repository))]
  const policy =
    lane === null
      ? 'no contract says whether a repository has priority; ARC and GitHub give none by themselves'
      : `the lane ${lane.label} declares no priority`
  return findingOf(fairnessContention, {
    severity: 'notice',
    subject: subjectOf('label', { namespace: '', name: load.label }),
    confidence: lane !== null && isFull(snapshot, load) ? 'proven' : 'likely',
    summary: `${load.label}, which several repositories hold, has a queue of ${counted(jobs.length, 'job')} (${someOf(waitingFor, 3)}).`,
    evidence: [
      evidenceOf(cluster.runners, `held by ${someOf(holderCounts(holders))}`),
      evidenceOf(
        forge.jobs,
        `the longest waits for ${durationText(takenAt - longest.queuedAt)}: ${longest.name} of ${longest.repository}`,
        longest.queuedAt,
      ),
      { source: lane === null ? 'cluster' : 'file', at: null, text: policy },
    ],
    nextAllowedAction: {
      kind: 'person',
      text: 'Decide who goes first: a policy in the contract, lanes apart, or waiting. More runners are another question.',
      command: null,
    },
  })
}

/** Whether every runner that may be made for the label works; unknown sets could have room. */
function isFull({ cluster, scope }: AuditInput['snapshot'], { sets }: LabelLoad): boolean {
  const maximum = maximumOf(sets)
  const isKnown = isWhole(cluster.scaleSets) && scope.namespaces === null
  return isKnown && maximum !== null && activeOf(sets) >= maximum
}
