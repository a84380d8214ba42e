import { durationText } from '../../api/index.ts'
import type { ContainerEnd, Ending, PodEnd } from '../../domain/death/index.ts'
import { howEnded } from '../../domain/timeline/index.ts'
import { bytesText } from '../text.ts'
import { type EvidenceItem, evidenceItem } from './item.ts'

/** Warnings that are repeated as evidence; all events stand in the timeline. */
const warningsMax = 5

/** The host's facts about an end. */
export function endingItems(ending: Ending): EvidenceItem[] {
  return [
    ...(ending.pod === null ? processItems(ending) : podItems(ending.pod)),
    ...memoryItems(ending),
    ...(ending.stopRequestedBy === null
      ? []
      : [evidenceItem('ledger', ending.endedAt, `Holdfast asked it to stop: ${ending.stopRequestedBy}.`)]),
    ...tailItems(ending),
  ]
}

function processItems({ exitCode, signal, startedAt, endedAt }: Ending): EvidenceItem[] {
  const ran = startedAt === null ? ', and never began' : ` after ${durationText(endedAt - startedAt)}`
  return [evidenceItem('host', endedAt, `The runner ended${ran}: ${howEnded(exitCode, signal)}.`)]
}

function podItems(pod: PodEnd): EvidenceItem[] {
  const relevant = pod.containers.filter(isRelevant)
  const { reason, message, phase, disruption, trouble: startProblem, deletedAt } = pod
  const newest = Math.max(0, ...pod.containers.map(({ finishedAt }) => finishedAt ?? 0)) || null
  return [
    ...relevant.map(containerItem),
    ...(reason === null && message === null
      ? []
      : [
          evidenceItem(
            'kubelet',
            newest,
            `The pod is ${phase}: ${[reason, message].filter(Boolean).join(': ')}`,
          ),
        ]),
    ...(disruption === null
      ? []
      : [
          evidenceItem(
            'cluster',
            conditionAt(pod),
            `The pod had to go (${disruption.reason}): ${disruption.message}`,
          ),
        ]),
    ...(startProblem === null
      ? []
      : [
          evidenceItem(
            'cluster',
            startProblem.since,
            `It did not get going, ${startProblem.kind}: ${startProblem.message}`,
          ),
        ]),
    ...(deletedAt === null ? [] : [evidenceItem('cluster', deletedAt, 'Somebody asked that the pod goes.')]),
    ...pod.events
      .filter(({ type }) => type === 'Warning')
      .slice(-warningsMax)
      .map(({ reason: eventReason, message: eventMessage, lastAt, firstAt }) =>
        evidenceItem('cluster', lastAt ?? firstAt, `Warning ${eventReason}: ${eventMessage}`),
      ),
    ...nodeItems(pod),
  ]
}

/** An init container that succeeded, or never started, explains nothing. */
function isRelevant({ isInit, exitCode, reason, state }: ContainerEnd): boolean {
  if (!isInit) return true
  return state === 'terminated' ? exitCode !== 0 : reason !== null && reason !== 'PodInitializing'
}

function containerItem(container: ContainerEnd): EvidenceItem {
  const { name, state, exitCode, signal, reason, message, startedAt, finishedAt, restarts } = container
  const detail = [reason, message].filter(Boolean).join(': ')
  const more = detail === '' ? '' : ` (${detail})`
  const again = restarts === 0 ? '' : `, begun again ${restarts} times`
  if (state !== 'terminated')
    return evidenceItem(
      'kubelet',
      startedAt,
      `Container ${name} is ${state === 'running' ? 'running' : 'waiting'}${more}${again}.`,
    )
  const ran =
    startedAt === null || finishedAt === null ? '' : ` after ${durationText(finishedAt - startedAt)}`
  return evidenceItem(
    'kubelet',
    finishedAt,
    `Container ${name} ended${ran}: ${howEnded(exitCode, signal)}${more}${again}.`,
  )
}

function conditionAt({ conditions }: PodEnd): number | null {
  return conditions.find(({ type }) => type === 'DisruptionTarget')?.at ?? null
}

function nodeItems({ nodeAtEnd, place, bootIdAtStart }: PodEnd): EvidenceItem[] {
  if (nodeAtEnd === null || place.node === null) return []
  const node = `Node ${place.node}`
  if (nodeAtEnd.isGone) return [evidenceItem('cluster', null, `${node} is not in the cluster any more.`)]
  const bad = nodeAtEnd.conditions.filter(({ type, status }) => (type === 'Ready') !== (status === 'True'))
  return [
    ...bad.map(({ type, status, message, at }) =>
      evidenceItem('cluster', at, `${node}: ${type} is ${status}${message === null ? '' : `: ${message}`}`),
    ),
    ...(isOtherBoot(bootIdAtStart, nodeAtEnd.bootId)
      ? [
          evidenceItem(
            'cluster',
            null,
            `${node} is in boot ${nodeAtEnd.bootId}; it was in ${bootIdAtStart} when the runner got its job.`,
          ),
        ]
      : []),
    ...(nodeAtEnd.isCordoned ? [evidenceItem('cluster', null, `${node} is closed to new pods.`)] : []),
    ...nodeAtEnd.taints.map(({ key, effect, at }) =>
      evidenceItem('cluster', at, `${node} has the taint ${key} (${effect}).`),
    ),
  ]
}

function isOtherBoot(before: string | null | undefined, after: string | null | undefined): boolean {
  return before != null && after != null && before !== after
}

function memoryItems({ oomKills, memoryPeakBytes, memoryLimitBytes, endedAt, pod }: Ending): EvidenceItem[] {
  const source = pod === null ? 'host' : 'kubelet'
  const limit =
    memoryLimitBytes === null ? 'no limit is known' : `the limit is ${bytesText(memoryLimitBytes)}`
  return [
    ...(oomKills === null
      ? []
      : [evidenceItem(source, endedAt, `The kernel counted ${killsText(oomKills)} at the memory limit.`)]),
    ...(memoryPeakBytes === null && memoryLimitBytes === null
      ? []
      : [
          evidenceItem(
            source,
            endedAt,
            memoryPeakBytes === null
              ? `Memory: ${limit}.`
              : `Memory: ${bytesText(memoryPeakBytes)} at most; ${limit}.`,
          ),
        ]),
  ]
}

function killsText(count: number): string {
  return count === 0 ? 'no kill' : count === 1 ? '1 kill' : `${count} kills`
}

function tailItems({ tail, endedAt }: Ending): EvidenceItem[] {
  const lines = tail.trimEnd() === '' ? 0 : tail.trimEnd().split('\n').length
  return lines === 0
    ? []
    : [evidenceItem('log', endedAt, `The newest ${lines === 1 ? 'line' : `${lines} lines`} it wrote, below.`)]
}
