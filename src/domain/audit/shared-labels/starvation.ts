import { durationText } from '../../format.ts'
import { isWhole } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { evidenceOf, findingOf, subjectOf } from '../judging.ts'
import type { LabelLoad } from '../label-load.ts'
import { reachByLabel } from '../queue-by-label.ts'
import { repositoryStarved } from './classes.ts'
import { type Demand, oldestQueued, type RepositoryDemand } from './demand.ts'

/** Longer than a burst of short jobs takes to pass. */
const starvedAfterMs = 15 * 60_000
/** Fewer may be chance: the forge promises no order. */
const overtakenMin = 3

/**
 * Repositories that got no runner since their oldest job was queued, while jobs of others that came later did. Rests on
 * all jobs being known: one that started would disprove it.
 */
export function starvedRepositories(
  input: AuditInput,
  loads: ReadonlyMap<string, LabelLoad>,
  all: readonly Demand[],
): readonly Finding[] {
  if (!isWhole(input.snapshot.forge.jobs)) return []
  const reachOf = reachByLabel(loads)
  return all.flatMap((demand) => {
    const started = demand.startedQueuedAt.toSorted((a, b) => a - b)
    return [...demand.byRepository.values()].flatMap((own) => {
      const isServed = demand.labels.some((label) => reachOf(label, own.repository) !== null)
      return isServed ? starved(input, demand, own, started) : []
    })
  })
}

function starved(
  { snapshot }: AuditInput,
  { labels }: Demand,
  own: RepositoryDemand,
  started: readonly Instant[],
): readonly Finding[] {
  const oldest = oldestQueued(own)
  if (oldest === null) return []
  const { queuedAt } = oldest
  const waitedMs = snapshot.takenAt - queuedAt
  if (waitedMs < starvedAfterMs || (own.lastStartedAt ?? queuedAt) > queuedAt) return []
  // Its own later jobs are not among them: they would have started after this one was queued.
  const overtaken = started.length - firstAfter(started, queuedAt)
  if (overtaken < overtakenMin) return []
  const { jobs } = snapshot.forge
  const runsOn = labels.join(', ')
  return [
    findingOf(repositoryStarved, {
      severity: 'warning',
      subject: subjectOf('repository', { namespace: '', name: own.repository }),
      confidence: 'proven',
      summary: `${own.repository} has waited ${durationText(waitedMs)} for ${runsOn} while ${overtaken} later jobs of others got runners.`,
      evidence: [
        evidenceOf(jobs, `${oldest.name} is queued since ${new Date(queuedAt).toISOString()}`, queuedAt),
        evidenceOf(jobs, `${overtaken} jobs with the labels ${runsOn} were queued after it and have started`),
        evidenceOf(jobs, `${own.queued.length} jobs of ${own.repository} wait; none has started since`),
      ],
      nextAllowedAction: {
        kind: 'person',
        text: 'Decide whether the repository gets a lane or a priority of its own.',
        command: null,
      },
    }),
  ]
}

/** Index of the first element above a value, in a sorted list. */
function firstAfter(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) > value) high = middle
    else low = middle + 1
  }
  return low
}
