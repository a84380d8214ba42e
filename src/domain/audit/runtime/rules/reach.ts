import { durationText } from '../../../format.ts'
import { type ForgeJobFact, isWhole, type ScaleSetFact } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf } from '../../judging.ts'
import { queuedGraceMs } from '../bounds.ts'
import { counted, found, type Ruling, read } from '../found.ts'
import { byEachLabel, isReachable, lowered, offersOf, queuedJobs } from '../reach.ts'
import type { FleetView } from '../view.ts'

/** Labels of machines that GitHub itself runs; jobs for them are not ours to reach. */
const hostedPattern = /^(ubuntu|windows|macos)-/i

/** Queued jobs whose labels no set and no registered runner of their repository has. */
export function judgeReach(fleet: FleetView): Ruling {
  const { cluster, forge, scope } = fleet.snapshot
  // A narrowed snapshot lacks the sets that may serve them.
  if (scope.namespaces !== null || scope.labels !== null) return { findings: [] }
  if (fleet.sets.length === 0 || !isWhole(cluster.scaleSets) || !isWhole(forge.runners))
    return { findings: [] }
  const waiting = queuedJobs(forge.jobs.items).filter(
    ({ queuedAt, labels }) =>
      queuedAt !== null &&
      fleet.now - queuedAt >= queuedGraceMs &&
      labels.length > 0 &&
      !labels.some((label) => hostedPattern.test(label)),
  )
  const offers = offersOf(fleet.snapshot)
  const groups = Map.groupBy(waiting, ({ labels, repository }) => `${repository} ${labels.join(' ')}`)
  const lost = [...groups.values()].filter(([job]) => job !== undefined && !isReachable(job, offers))
  const byLabels = Map.groupBy(lost.flat(), ({ labels }) => labels.toSorted().join(', '))
  const setsByLabel = byEachLabel(cluster.scaleSets.items, ({ runnerLabels }) => lowered(runnerLabels))
  return {
    findings: [...byLabels].map(([labels, jobs]) => unreachable(labels, jobs, setsByLabel, fleet)),
  }
}

function unreachable(
  labels: string,
  jobs: readonly ForgeJobFact[],
  setsByLabel: ReadonlyMap<string, readonly ScaleSetFact[]>,
  fleet: FleetView,
): Finding {
  const { cluster, forge } = fleet.snapshot
  const [first = '', ...others] = lowered(jobs[0]?.labels ?? [])
  const named = (setsByLabel.get(first) ?? []).filter(({ runnerLabels }) => {
    const present = lowered(runnerLabels)
    return others.every((label) => present.includes(label))
  })
  const repositories = [...new Set(jobs.map(({ repository }) => repository))]
  const oldest = Math.min(...jobs.map(({ queuedAt }) => queuedAt ?? fleet.now))
  return found({
    class: 'label-unreachable',
    severity: 'warning',
    subject: { kind: 'label', namespace: null, name: labels },
    confidence: 'likely',
    summary: `Nothing that serves their repository has ${labels}: ${counted(jobs.length, 'queued job')} wait for ever.`,
    evidence: [
      evidenceOf(
        forge.jobs,
        `queued for up to ${durationText(fleet.now - oldest)}, from ${repositories.slice(0, 5).join(', ')}`,
      ),
      evidenceOf(forge.runners, 'no registered runner of their scope has these labels'),
      ...named
        .slice(0, 5)
        .map((set) =>
          evidenceOf(
            cluster.scaleSets,
            `${set.namespace}/${set.name} has them, for ${set.configUrl ?? 'an unknown scope'}${set.forgeScaleSetId === null ? ', and is not registered' : ''}`,
          ),
        ),
    ],
    next: read(
      'Read the labels of the workflow, and the scope and runner group of the sets that should serve it.',
    ),
  })
}
