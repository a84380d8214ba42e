import type { PodEvent } from '../ending.ts'
import type { Known } from '../known.ts'
import { type Finding, likely } from '../verdict.ts'
import { rule } from './rule.ts'

/** A kubelet emits the event before it kills, and then waits for the pod's grace period. */
const killedBeforeMs = 120_000
const killedAfterMs = 5_000
const probe = /^Container (\S{1,100}) failed (?:liveness|startup) probe/
const runnerContainer = 'runner'

/** Rules for kills by the kubelet, by its events. Others may write events too: likely at most. */
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
    ({ reason, message }) => reason === 'Killing' && probe.exec(message)?.[1] === runnerContainer,
  )
  if (killing === undefined) return null
  const unhealthy = atEnd(known).findLast(({ reason }) => reason === 'Unhealthy')
  return likely('probe-failed', ...eventNote(killing), ...eventNote(unhealthy))
}

function byHook(known: Known): Finding | null {
  const hook = atEnd(known).findLast(
    ({ reason, message }) =>
      reason === 'FailedPostStartHook' || (reason === 'Killing' && message.startsWith('FailedPostStartHook')),
  )
  return hook === undefined ? null : likely('hook-failed', ...eventNote(hook))
}

/** The events around the end about this container, or about none in particular. */
function atEnd({ pod, ending: { endedAt } }: Known): readonly PodEvent[] {
  return (pod?.events ?? []).filter(({ container = runnerContainer, lastAt, firstAt }) => {
    const at = lastAt ?? firstAt
    return (
      container === runnerContainer &&
      at !== null &&
      at >= endedAt - killedBeforeMs &&
      at <= endedAt + killedAfterMs
    )
  })
}

function eventNote(event: PodEvent | undefined): string[] {
  return event === undefined ? [] : [`The kubelet said: ${event.reason}: ${event.message}`]
}
