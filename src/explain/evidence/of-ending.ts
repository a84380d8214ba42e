import { durationText } from '../../api/index.ts'
import type { ContainerEnd, Ending, PodEnd } from '../../domain/death/index.ts'
import { howEnded } from '../moments/index.ts'
import { bytesText } from '../words.ts'
import { type Item, item } from './item.ts'

/** Warnings that are repeated as evidence; all events stand in the timeline. */
const WARNINGS_MAX = 5

/** What the host says about an end. */
export function endingItems(ending: Ending): Item[] {
  return [
    ...(ending.pod === null ? processItems(ending) : podItems(ending.pod)),
    ...memoryItems(ending),
    ...(ending.stopRequestedBy === null
      ? []
      : [item('ledger', ending.endedAt, `Holdfast asked it to stop: ${ending.stopRequestedBy}.`)]),
    ...tailItems(ending),
  ]
}

function processItems({ exitCode, signal, startedAt, endedAt }: Ending): Item[] {
  const ran = startedAt === null ? ', and never began' : ` after ${durationText(endedAt - startedAt)}`
  return [item('host', endedAt, `The runner ended${ran}: ${howEnded(exitCode, signal)}.`)]
}

function podItems(pod: PodEnd): Item[] {
  const told = pod.containers.filter(isTelling)
  const { reason, message, phase, disruption, trouble, deletedAt } = pod
  const newest = Math.max(0, ...pod.containers.map(({ finishedAt }) => finishedAt ?? 0)) || null
  return [
    ...told.map(containerItem),
    ...(reason === null && message === null
      ? []
      : [item('kubelet', newest, `The pod is ${phase}: ${[reason, message].filter(Boolean).join(': ')}`)]),
    ...(disruption === null
      ? []
      : [
          item(
            'cluster',
            conditionAt(pod),
            `The pod had to go (${disruption.reason}): ${disruption.message}`,
          ),
        ]),
    ...(trouble === null
      ? []
      : [item('cluster', trouble.since, `It did not get going, ${trouble.kind}: ${trouble.message}`)]),
    ...(deletedAt === null ? [] : [item('cluster', deletedAt, 'Somebody asked that the pod goes.')]),
    ...pod.events
      .filter(({ type }) => type === 'Warning')
      .slice(-WARNINGS_MAX)
      .map(({ reason: word, message: said, lastAt, firstAt }) =>
        item('cluster', lastAt ?? firstAt, `Warning ${word}: ${said}`),
      ),
    ...nodeItems(pod),
  ]
}

/** A preparation that ended well, or never came to begin, tells nothing. */
function isTelling({ isInit, exitCode, reason, state }: ContainerEnd): boolean {
  if (!isInit) return true
  return state === 'terminated' ? exitCode !== 0 : reason !== null && reason !== 'PodInitializing'
}

function containerItem(container: ContainerEnd): Item {
  const { name, state, exitCode, signal, reason, message, startedAt, finishedAt, restarts } = container
  const said = [reason, message].filter(Boolean).join(': ')
  const more = said === '' ? '' : ` (${said})`
  const again = restarts === 0 ? '' : `, begun again ${restarts} times`
  if (state !== 'terminated')
    return item(
      'kubelet',
      startedAt,
      `Container ${name} is ${state === 'running' ? 'running' : 'waiting'}${more}${again}.`,
    )
  const ran =
    startedAt === null || finishedAt === null ? '' : ` after ${durationText(finishedAt - startedAt)}`
  return item(
    'kubelet',
    finishedAt,
    `Container ${name} ended${ran}: ${howEnded(exitCode, signal)}${more}${again}.`,
  )
}

function conditionAt({ conditions }: PodEnd): number | null {
  return conditions.find(({ type }) => type === 'DisruptionTarget')?.at ?? null
}

function nodeItems({ nodeAtEnd, place, bootIdAtStart }: PodEnd): Item[] {
  if (nodeAtEnd === null || place.node === null) return []
  const node = `Node ${place.node}`
  if (nodeAtEnd.isGone) return [item('cluster', null, `${node} is not in the cluster any more.`)]
  const bad = nodeAtEnd.conditions.filter(({ type, status }) => (type === 'Ready') !== (status === 'True'))
  return [
    ...bad.map(({ type, status, message, at }) =>
      item('cluster', at, `${node}: ${type} is ${status}${message === null ? '' : `: ${message}`}`),
    ),
    ...(isOtherBoot(bootIdAtStart, nodeAtEnd.bootId)
      ? [
          item(
            'cluster',
            null,
            `${node} is in boot ${nodeAtEnd.bootId}; it was in ${bootIdAtStart} when the runner got its job.`,
          ),
        ]
      : []),
    ...(nodeAtEnd.isCordoned ? [item('cluster', null, `${node} is closed to new pods.`)] : []),
    ...nodeAtEnd.taints.map(({ key, effect, at }) =>
      item('cluster', at, `${node} has the taint ${key} (${effect}).`),
    ),
  ]
}

function isOtherBoot(before: string | null | undefined, after: string | null | undefined): boolean {
  return before != null && after != null && before !== after
}

function memoryItems({ oomKills, memoryPeakBytes, memoryLimitBytes, endedAt, pod }: Ending): Item[] {
  const source = pod === null ? 'host' : 'kubelet'
  const limit =
    memoryLimitBytes === null ? 'no limit is known' : `the limit is ${bytesText(memoryLimitBytes)}`
  return [
    ...(oomKills === null
      ? []
      : [item(source, endedAt, `The kernel counted ${killsText(oomKills)} at the memory limit.`)]),
    ...(memoryPeakBytes === null && memoryLimitBytes === null
      ? []
      : [
          item(
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

function tailItems({ tail, endedAt }: Ending): Item[] {
  const lines = tail.trimEnd() === '' ? 0 : tail.trimEnd().split('\n').length
  return lines === 0
    ? []
    : [item('log', endedAt, `The newest ${lines === 1 ? 'line' : `${lines} lines`} it wrote, below.`)]
}
