import type { PodEvent } from '../ending.ts'
import type { Known } from '../known.ts'
import { type Finding, likely } from '../verdict.ts'
import { rule } from './rule.ts'

/** A kubelet says that it kills before it does, and waits for the grace of the pod then. */
const KILLED_BEFORE_MS = 120_000
const KILLED_AFTER_MS = 5_000
const PROBE = /^Container (\S{1,100}) failed (?:liveness|startup) probe/
const RUNNER = 'runner'

/** The kubelet killed the container itself, and its events name why. Who may write events may write these: likely. */
export const kubeletKillRules = [
  rule({
    name: 'the kubelet killed it for a probe',
    gives: ['probe-failed'],
    means:
      'A liveness or startup probe of its container failed as often as it may, and the kubelet killed it.',
    needs: 'The event Killing about a failed probe of this container, around its end.',
    mustNotConclude: 'That the runner hung: a probe that is too strict fails on a busy machine.',
    nextSteps: [
      'Holdfast takes no such probe in a pool: find who put it into the pod, such as an admission webhook, and take it out.',
    ],
    fires: byProbe,
  }),
  rule({
    name: 'its postStart hook failed',
    gives: ['hook-failed'],
    means: 'What its template runs as postStart failed, and the kubelet killed the container for that.',
    needs: 'The event FailedPostStartHook, or Killing for it, of this container around its end.',
    mustNotConclude: 'That the runner or its job failed.',
    nextSteps: ['Correct the postStart hook in the template of the pool, or take it out.'],
    fires: byHook,
  }),
]

function byProbe(known: Known): Finding | null {
  const killing = atEnd(known).findLast(
    ({ reason, message }) => reason === 'Killing' && PROBE.exec(message)?.[1] === RUNNER,
  )
  if (killing === undefined) return null
  const unhealthy = atEnd(known).findLast(({ reason }) => reason === 'Unhealthy')
  return likely('probe-failed', ...said(killing), ...said(unhealthy))
}

function byHook(known: Known): Finding | null {
  const hook = atEnd(known).findLast(
    ({ reason, message }) =>
      reason === 'FailedPostStartHook' || (reason === 'Killing' && message.startsWith('FailedPostStartHook')),
  )
  return hook === undefined ? null : likely('hook-failed', ...said(hook))
}

/** Of this container, as far as they say of which they are. */
function atEnd({ pod, ending: { endedAt } }: Known): readonly PodEvent[] {
  return (pod?.events ?? []).filter(({ container = RUNNER, lastAt, firstAt }) => {
    const at = lastAt ?? firstAt
    return (
      container === RUNNER &&
      at !== null &&
      at >= endedAt - KILLED_BEFORE_MS &&
      at <= endedAt + KILLED_AFTER_MS
    )
  })
}

function said(event: PodEvent | undefined): string[] {
  return event === undefined ? [] : [`The kubelet said: ${event.reason}: ${event.message}`]
}
