import { deleterOf } from '../deleter.ts'
import type { PodCondition } from '../ending.ts'
import type { Known } from '../known.ts'
import { type Finding, likely, proven } from '../verdict.ts'
import { rule, wordsOf } from './rule.ts'

/** Marks of clouds and autoscalers on a node that they are about to take back, and on one that they tidy away. */
const reclaimed: ReadonlySet<string> = new Set([
  ...['aws-node-termination-handler/spot-itn', 'aws-node-termination-handler/rebalance-recommendation'],
  ...['cloud.google.com/impending-node-termination', 'node.cloudprovider.kubernetes.io/shutdown'],
])
/** How long after its end the mark that a node is lost may come: nodes are given up 40 to 50 s late by default. */
const HEARD_LATE_MS = 120_000
const onNodes = 'Look at what happened to the node at that time; the job itself is not to blame.'

/** The pod had to go for reasons of its cluster, and the cluster says so. */
export const disruptionRules = [
  rule({
    name: 'its node was taken back',
    gives: ['preempted'],
    means: 'The cloud took the node back, as it may with spot and preemptible machines, or announced that.',
    needs: "A mark of that kind on the node, and an end that somebody asked for or at a node's end.",
    mustNotConclude: 'That the node was broken.',
    nextSteps: ['Use nodes that are not taken back for jobs that must not be repeated.'],
    fires: takenBack,
  }),
  rule({
    name: 'the scheduler preempted it',
    gives: ['preempted'],
    means: 'It had to make room for a pod of higher priority.',
    needs: 'The condition DisruptionTarget with PreemptionByScheduler, or the reason Preempting.',
    mustNotConclude: 'That the cluster is broken: priorities say that this may happen.',
    nextSteps: ['Give runners a priority class that nothing ordinary preempts, or more nodes.'],
    fires: (known) =>
      deleterOf(known.ending) === 'preemption'
        ? proven('preempted', `It made room for a pod of higher priority: ${wordsOf(known)}`)
        : null,
  }),
  rule({
    name: 'its node was drained',
    gives: ['node-drained'],
    means: 'Somebody asked for its eviction through the API, as drains and autoscalers do.',
    needs: 'The condition DisruptionTarget with EvictionByEvictionAPI.',
    mustNotConclude: 'Who asked: the cluster does not keep that.',
    nextSteps: [
      'Let drains wait for runners: a pod that works is marked as not to be disrupted, which autoscalers honour.',
    ],
    fires: (known) =>
      deleterOf(known.ending) === 'eviction-api'
        ? proven('node-drained', `Somebody asked for its eviction, as a drain does: ${wordsOf(known)}`)
        : null,
  }),
  rule({
    name: 'its node was shut down',
    gives: ['node-drained'],
    means: 'The kubelet ended its pods since the machine was being shut down or restarted.',
    needs: 'The words of the kubelet about a shutdown.',
    mustNotConclude: 'Why the machine was shut down.',
    nextSteps: [onNodes],
    fires: (known) =>
      deleterOf(known.ending) === 'node-shutdown'
        ? proven('node-drained', `Its node was being shut down: ${wordsOf(known)}`)
        : null,
  }),
  rule({
    name: 'its node was lost',
    gives: ['node-lost'],
    means: 'Nothing was heard from its node any more, or the node is gone.',
    needs:
      'The pod was given up by the cluster (NodeLost, pod garbage collection, taint), or its node is gone.',
    mustNotConclude: 'That its program has ended: it may go on behind a broken network.',
    nextSteps: [onNodes, 'Read the console and the journal of the machine, if it still exists.'],
    fires: nodeLost,
  }),
  rule({
    name: 'its node was not ready before its end',
    gives: ['node-lost'],
    means: 'The node had stopped to report before the end, of which nothing was seen.',
    needs: 'The condition Ready of the node, not True since before the end, and no exit code.',
    mustNotConclude: 'That the node is broken for good: it may only have been cut off.',
    nextSteps: [onNodes],
    fires: notReady,
  }),
  rule({
    name: 'its pod ran past its deadline',
    gives: ['deadline-exceeded'],
    means: 'The pod has an activeDeadlineSeconds, and it passed.',
    needs: 'The reason DeadlineExceeded of the pod.',
    mustNotConclude: 'That the job hung: it may simply have needed longer.',
    nextSteps: ['Raise activeDeadlineSeconds in the template of the pool, or take it out.'],
    fires: (known) =>
      known.pod?.reason === 'DeadlineExceeded'
        ? proven('deadline-exceeded', `Its pod has a deadline that passed: ${wordsOf(known)}`)
        : null,
  }),
]

function takenBack(known: Known): Finding | null {
  const { pod, ending } = known
  const mark = pod?.nodeAtEnd?.taints.find(({ key }) => reclaimed.has(key))
  if (pod === null || mark === undefined || ending.stopRequestedBy !== null) return null
  const deleter = deleterOf(ending)
  if (deleter === null || deleter === 'kubelet-eviction' || deleter === 'preemption') return null
  const words = pod.message ?? pod.disruption?.message
  return likely(
    'preempted',
    `Its node has the mark ${mark.key}: it was about to be taken back.`,
    ...(words ? [`The cluster says: ${words.trim()}`] : []),
  )
}

function nodeLost(known: Known): Finding | null {
  const { pod, ending } = known
  if (pod === null) return null
  if (pod.reason === 'NodeLost')
    return proven('node-lost', `Nothing was heard from its node: ${wordsOf(known)}`)
  const deleter = deleterOf(ending)
  if (deleter === 'pod-garbage-collection') return proven('node-lost', `Its node is gone: ${wordsOf(known)}`)
  if (deleter === 'taint-manager')
    return likely('node-lost', `Its node got a taint that nothing may run under: ${wordsOf(known)}`)
  const isUnseen = ending.exitCode === null && ending.signal === null && ending.startedAt !== null
  if (!pod.nodeAtEnd?.isGone || !isUnseen) return null
  return likely(
    'node-lost',
    `The cluster knows no node ${pod.place.node} any more, and its end was not seen.`,
  )
}

function notReady({ pod, ending }: Known): Finding | null {
  const ready = pod?.nodeAtEnd?.conditions.find(({ type }) => type === 'Ready')
  if (pod === null || ready === undefined || ready.status === 'True') return null
  if (ending.exitCode !== null || ending.signal !== null || ending.startedAt === null) return null
  if (ready.at !== null && ready.at > ending.endedAt + HEARD_LATE_MS) return null
  return likely('node-lost', `Its node ${pod.place.node} was not ready: ${conditionWords(ready)}`)
}

function conditionWords({ status, reason, message }: PodCondition): string {
  return [`Ready is ${status}`, reason, message].filter(Boolean).join(', ')
}
