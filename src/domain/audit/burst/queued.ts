import { counted, durationText } from '../../format.ts'
import { type ForgeJobFact, isWhole } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { commandWith, evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { holderCounts, type LabelLoad, labelKey, maximumOf } from '../label-load.ts'
import { type Reach, reachByLabel, waitingJobs } from '../queue-by-label.ts'
import { queuedBehindCapacity } from './classes.ts'

type Waiting = ForgeJobFact & { readonly queuedAt: number }

interface Queue {
  readonly jobs: Waiting[]
  readonly reaches: Set<Reach>
}

/** Labels with jobs that wait although every runner that may be made for them works. Rests on all sets being known. */
export function queuedBehind(input: AuditInput, loads: ReadonlyMap<string, LabelLoad>): readonly Finding[] {
  if (!isWhole(input.snapshot.cluster.scaleSets)) return []
  const reachOf = reachByLabel(loads)
  const queues = new Map<string, Queue>()
  for (const job of waitingJobs(input.snapshot)) {
    for (const label of job.labels) {
      const reach = reachOf(label, job.repository)
      if (reach === null || reach.maximum === null || reach.active < reach.maximum) continue
      const queue = queues.get(labelKey(label)) ?? { jobs: [], reaches: new Set() }
      queue.jobs.push(job)
      queue.reaches.add(reach)
      queues.set(labelKey(label), queue)
    }
  }
  return [...queues].flatMap(([key, queue]) => {
    const load = loads.get(key)
    return load === undefined ? [] : [queueFinding(input, load.label, queue)]
  })
}

function queueFinding({ snapshot }: AuditInput, label: string, { jobs, reaches }: Queue): Finding {
  const { cluster, forge, scope, takenAt } = snapshot
  const sets = [...new Set([...reaches].flatMap((reach) => reach.sets))]
  const holders = sets.flatMap((load) => load.holders)
  const maximum = maximumOf(sets)
  const longest = jobs.reduce((oldest, job) => (job.queuedAt < oldest.queuedAt ? job : oldest))
  const where = sets.map(({ set }) => keyOf(set))
  const holding = holders.length === 0 ? 'nobody' : someOf(holderCounts(holders))
  return findingOf(queuedBehindCapacity, {
    severity: 'warning',
    subject: subjectOf('label', { namespace: '', name: label }),
    // A set elsewhere could serve the label too.
    confidence: scope.namespaces === null ? 'proven' : 'likely',
    summary: `${label} has a queue of ${counted(jobs.length, 'job')} behind ${holders.length} of ${maximum} runners that work.`,
    evidence: [
      evidenceOf(
        forge.jobs,
        `the longest waits for ${durationText(takenAt - longest.queuedAt)}: ${longest.name} of ${longest.repository}`,
        longest.queuedAt,
      ),
      evidenceOf(
        cluster.runners,
        `${holders.length} runners with a job in ${someOf(where)}, at most ${maximum}`,
      ),
      evidenceOf(cluster.runners, `held by ${holding}`),
    ],
    nextAllowedAction: {
      kind: 'read',
      text: 'Read who holds the label and for how long others wait, before anything is raised.',
      command: commandWith('holdfast audit shared-labels --label', label),
    },
  })
}
