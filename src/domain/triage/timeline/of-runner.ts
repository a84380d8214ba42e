import { keyOf, type ListenerFact, type PodFact, type RunnerFact } from '../../snapshot/index.ts'
import {
  containerEntries,
  entryAt,
  failedPodText,
  objectEntries,
  type TimelineSource,
} from '../../timeline/index.ts'
import { containerOf } from './container.ts'
import { rowsAfter, type TimelineCaseRow, type UndatedFact } from './row.ts'

/** The life of a runner's own object. */
export function runnerRows(runner: RunnerFact | null): readonly TimelineCaseRow[] {
  if (runner === null) return []
  return rowsAfter(objectEntries({ ...runner, kind: kindOf(runner) }, sourceOf(runner)))
}

/** Its phase, its job and its failures, of which ARC does not write when they came. */
export function runnerUndated(runner: RunnerFact | null): readonly UndatedFact[] {
  if (runner === null) return []
  const { name, phase, reason, message, job, failures } = runner
  const kind = kindOf(runner)
  const detail = [reason, message].filter((each) => each !== null && each !== '').join(': ')
  const texts = [
    `${kind} ${name} is ${phase ?? 'there'}${detail === '' ? '.' : `: ${detail}`}`,
    ...(job === null ? [] : [`${kind} ${name} names ${jobText(job)}.`]),
    ...failures.flatMap(({ podUid, at }) => (at === null ? [failedPodText(kind, name, podUid)] : [])),
  ]
  return texts.map((text) => ({ source: sourceOf(runner), text }))
}

/**
 * Listeners of the runner's set, each with its pod: without one no job reaches the set, and nobody writes which job a runner
 * has. ARC makes a new pod each time one ends.
 */
export function listenerRows(
  listeners: readonly ListenerFact[],
  pods: readonly PodFact[],
): readonly TimelineCaseRow[] {
  return rowsAfter(
    listeners.flatMap((listener) => [
      ...objectEntries({ ...listener, kind: 'AutoscalingListener' }),
      ...pods
        .filter((pod) => keyOf(pod) === keyOf(listener))
        .flatMap(({ createdAt, statuses }) => [
          ...entryAt(createdAt, 'cluster', `AutoscalingListener ${listener.name}: its pod was made.`),
          ...statuses
            .flatMap((status) => containerEntries(containerOf(status)))
            .map((entry) => ({ ...entry, text: `AutoscalingListener ${listener.name}: ${entry.text}` })),
        ]),
    ]),
  )
}

function kindOf({ origin }: RunnerFact): string {
  return origin === 'arc' ? 'EphemeralRunner' : 'Runner'
}

function sourceOf({ origin }: RunnerFact): TimelineSource {
  return origin === 'arc' ? 'cluster' : 'ledger'
}

function jobText({ repository, name, runId }: NonNullable<RunnerFact['job']>): string {
  const parts = [repository, name].filter((part) => part !== null).join(' · ')
  return `the job ${parts === '' ? 'of no known name' : parts}${runId === null ? '' : `, run ${runId}`}`
}
