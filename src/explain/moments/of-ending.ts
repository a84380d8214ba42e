import { durationText } from '../../api/index.ts'
import type { ContainerEnd, Ending, PodEnd, PodEvent } from '../../domain/death/index.ts'
import { type Moment, moment } from './moment.ts'

/** Of one that floods its events only the newest are shown. */
const EVENTS_MAX = 40

/** What the host saw of a runner's life and end. */
export function endingMoments(ending: Ending | null): Moment[] {
  if (ending === null) return []
  const { pod } = ending
  if (pod === null) {
    return [
      ...moment(ending.startedAt, 'host', 'The program of the runner began.'),
      ...moment(ending.endedAt, 'host', `The runner ended: ${howEnded(ending.exitCode, ending.signal)}.`),
    ]
  }
  // A cluster tells times in whole seconds: what comes of something else stands below it here, and then stays there.
  return [
    ...conditionMoments(pod),
    ...moment(pod.deletedAt, 'cluster', `Somebody asked that the pod goes.`),
    ...pod.events.slice(-EVENTS_MAX).flatMap(eventMoments),
    ...pod.containers.flatMap(containerMoments),
    ...nodeMoments(pod),
  ]
}

/** The end of a process in words. */
export function howEnded(exitCode: number | null, signal: string | number | null): string {
  if (signal !== null && signal !== 0) return `by ${typeof signal === 'number' ? `signal ${signal}` : signal}`
  return exitCode === null ? 'its exit code is not known' : `exit code ${exitCode}`
}

function containerMoments(container: ContainerEnd): Moment[] {
  const { name, exitCode, signal, reason, startedAt, finishedAt, earlier } = container
  const said = reason === null ? '' : ` (${reason})`
  return [
    ...moment(
      earlier?.finishedAt ?? null,
      'kubelet',
      `Container ${name} ended before: ${howEnded(earlier?.exitCode ?? null, earlier?.signal ?? null)}.`,
    ),
    ...moment(startedAt, 'kubelet', `Container ${name} began.`),
    ...moment(finishedAt, 'kubelet', `Container ${name} ended: ${howEnded(exitCode, signal)}${said}.`),
  ]
}

/** Being placed and being wanted away; the others repeat what the containers say. */
function conditionMoments({ conditions, place }: PodEnd): Moment[] {
  return conditions.flatMap(({ type, status, reason, message, at }) => {
    if (type === 'PodScheduled' && status === 'True')
      return moment(at, 'cluster', `The pod was placed on ${place.node ?? 'a node'}.`)
    if (type !== 'DisruptionTarget' || status !== 'True') return []
    return moment(at, 'cluster', `The pod has to go (${reason ?? 'no reason is given'}): ${message ?? ''}`)
  })
}

/** One event of a cluster. */
export function eventMoments({ type, reason, message, count, firstAt, lastAt }: PodEvent): Moment[] {
  const spanMs = (lastAt ?? 0) - (firstAt ?? lastAt ?? 0)
  const often = count > 1 ? ` (${count} times${spanMs > 0 ? ` in ${durationText(spanMs)}` : ''})` : ''
  const mark = type === 'Warning' ? 'Warning ' : ''
  return moment(lastAt ?? firstAt, 'cluster', `${mark}${reason}: ${message}${often}`)
}

function nodeMoments({ nodeAtEnd, place }: PodEnd): Moment[] {
  if (nodeAtEnd === null) return []
  const node = place.node ?? 'its node'
  const bad = nodeAtEnd.conditions.filter(({ type, status }) => (type === 'Ready') !== (status === 'True'))
  return [
    ...bad.flatMap(({ type, status, reason, at }) =>
      moment(at, 'cluster', `Node ${node}: ${type} is ${status}${reason === null ? '' : ` (${reason})`}.`),
    ),
    ...nodeAtEnd.taints.flatMap(({ key, effect, at }) =>
      moment(at, 'cluster', `Node ${node} got the taint ${key} (${effect}).`),
    ),
  ]
}
