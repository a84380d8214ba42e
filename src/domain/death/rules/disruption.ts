import { deleterOf } from '../deleter.ts'
import type { PodCondition } from '../ending.ts'
import type { Known } from '../known.ts'
import { lostNodeMarkedWithinMs, readyOf, rebootWords } from '../reboot.ts'
import { type Finding, likely, proven, unsure } from '../verdict.ts'
import { clusterMessage, rule } from './rule.ts'

/** Taints that clouds and autoscalers put on a node that they are about to reclaim or remove. */
const reclaimed: ReadonlySet<string> = new Set([
  ...['aws-node-termination-handler/spot-itn', 'aws-node-termination-handler/rebalance-recommendation'],
  ...['cloud.google.com/impending-node-termination', 'node.cloudprovider.kubernetes.io/shutdown'],
])
/** Taints that the node controller puts on a silent node; all others are somebody's act. */
const lostKeys: ReadonlySet<string> = new Set([
  ...['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
])
/** How much later than its deletion a taint may be dated, given how the API server rounds times. */
const taintLateMs = 2_000
/** The exit code that CRI-O reports for a container that it finds gone; any program may end so too. */
const crioUnseenCode = 255
const onNodes = 'Look at what happened to the node at that time; the job itself is not to blame.'

/** Rules for pods that the cluster removed for its own reasons. */
export const disruptionRules = [
  rule({
    name: 'its pod ran past its deadline',
    gives: ['deadline-exceeded'],
    means: 'The pod has an activeDeadlineSeconds, and it passed.',
    needs: 'The reason DeadlineExceeded of the pod.',
    mustNotConclude: 'That the job hung: it may simply have needed longer.',
    nextSteps: ['Raise activeDeadlineSeconds in the template of the pool, or take it out.'],
    proof: {
      rests: 'cluster',
      argument:
        "The kubelet writes the reason DeadlineExceeded into the pod's own status when the activeDeadlineSeconds of its specification passed, and for nothing else. A job that runs into a limit of its own, or says so, does not change that status.",
    },
    fires: (known) =>
      known.pod?.reason === 'DeadlineExceeded'
        ? proven('deadline-exceeded', `Its pod has a deadline that passed: ${clusterMessage(known)}`)
        : null,
  }),
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
    proof: {
      rests: 'cluster',
      argument:
        "The scheduler, or the kubelet that admits a critical pod, writes this into the pod's own status before it deletes it; only parts of the control plane and of nodes may write there. What a container says of itself, its log and its last message, stands elsewhere and is not read for it.",
    },
    fires: (known) =>
      deleterOf(known.ending) === 'preemption'
        ? proven('preempted', `It made room for a pod of higher priority: ${clusterMessage(known)}`)
        : null,
  }),
  rule({
    name: 'its node was drained',
    gives: ['node-drained'],
    means: 'Somebody asked for its eviction through the API, as drains and autoscalers do.',
    needs:
      'The condition DisruptionTarget with EvictionByEvictionAPI. Likely: a person or a descheduler may have evicted this pod alone.',
    mustNotConclude: 'Who asked: the cluster does not keep that. Nor that the whole node was emptied.',
    nextSteps: [
      'Let drains wait for runners: a pod that works is marked as not to be disrupted, which autoscalers honour.',
    ],
    fires: (known) =>
      deleterOf(known.ending) === 'eviction-api'
        ? likely('node-drained', `Somebody asked for its eviction, as a drain does: ${clusterMessage(known)}`)
        : null,
  }),
  rule({
    name: 'its node was shut down',
    gives: ['node-drained'],
    means: 'The kubelet ended its pods since the machine was being shut down or restarted.',
    needs: 'The message of the kubelet about a shutdown.',
    mustNotConclude: 'Why the machine was shut down.',
    nextSteps: [onNodes],
    proof: {
      rests: 'cluster',
      argument:
        "The kubelet of the node writes this into the pod's own status when the machine announces its shutdown. What a container says of itself, its log and its last message, stands elsewhere and is not read for it.",
    },
    fires: (known) =>
      deleterOf(known.ending) === 'node-shutdown'
        ? proven(
            'node-drained',
            `Its node was being shut down: ${clusterMessage(known)}`,
            ...reclaimedNote(known),
          )
        : null,
  }),
  rule({
    name: 'its node was lost',
    gives: ['node-lost'],
    means: 'Its node stopped responding, or is gone.',
    needs:
      'The pod was given up by the cluster (NodeLost, pod garbage collection), or its node is gone. Proven where both say that there is no such node.',
    mustNotConclude: 'That its program has ended: it may go on behind a broken network.',
    nextSteps: [onNodes, 'Read the console and the journal of the machine, if it still exists.'],
    proof: {
      rests: 'cluster',
      argument:
        "The garbage collector of pods writes into the pod's own status that it deletes it since its node is not there, and the API server lists no such node. A kubelet that is only silent, and a node that came back, still have their node there.",
    },
    fires: nodeLost,
  }),
  rule({
    name: 'a taint put it off its node',
    gives: ['node-lost', 'node-drained'],
    means: 'Its node got a taint under which nothing may run, and the cluster deleted its pods for that.',
    needs:
      'A deletion by the taint manager. The key decides: the cluster puts not-ready and unreachable on a silent node, somebody else puts any other.',
    mustNotConclude: 'That the node is broken, where the key is none of the two.',
    nextSteps: [onNodes, 'Look for who puts the taint that is named, and let runners end before that.'],
    fires: tainted,
  }),
  rule({
    name: 'nobody saw its end',
    gives: ['node-lost', 'unknown'],
    means:
      'The container runtime or the kubelet found the runner gone and reports a placeholder instead of its end, as after a restart of the node.',
    needs:
      'A placeholder (255 with Unknown, ContainerStatusUnknown) in place of an end. A node in another boot than when the runner got its job was rebooted meanwhile, one that turned ready after it had begun was lost; both count only up to two minutes after the end. With 255 and Error, as CRI-O says it, only another boot counts.',
    mustNotConclude: 'Anything from the exit code, the reason or the time of such an end: they are made up.',
    nextSteps: [
      'Compare the boot of the node (last -x reboot, its events) with the time of the end; look at restarts of its container runtime.',
    ],
    fires: unseen,
  }),
  rule({
    name: 'its node was not ready before its end',
    gives: ['node-lost'],
    means: 'The node had stopped reporting before the end, which nobody saw.',
    needs: 'The condition Ready of the node, not True since before the end, and no exit code.',
    mustNotConclude: 'That the node is broken for good: it may only have been cut off.',
    nextSteps: [onNodes],
    fires: notReady,
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

/** A sentence about a taint for a reclaimed node, where there is one. */
function reclaimedNote({ pod }: Known): string[] {
  const mark = pod?.nodeAtEnd?.taints.find(({ key }) => reclaimed.has(key))
  return mark === undefined ? [] : [`Its node has the mark ${mark.key}: it was about to be taken back.`]
}

function nodeLost(known: Known): Finding | null {
  const { pod, ending } = known
  if (pod === null) return null
  if (pod.reason === 'NodeLost')
    return likely('node-lost', `Its node stopped responding: ${clusterMessage(known)}`)
  const isGone = pod.nodeAtEnd?.isGone === true
  if (deleterOf(ending) === 'pod-garbage-collection') {
    const sentence = `Its node is gone: ${clusterMessage(known)}`
    return isGone ? proven('node-lost', sentence) : likely('node-lost', sentence)
  }
  const isUnseen = ending.exitCode === null && ending.signal === null && ending.startedAt !== null
  if (!isGone || !isUnseen) return null
  return likely(
    'node-lost',
    `The cluster knows no node ${pod.place.node} any more, and its end was not seen.`,
  )
}

function tainted(known: Known): Finding | null {
  const { pod, ending } = known
  if (pod === null || deleterOf(ending) !== 'taint-manager') return null
  const until = (pod.deletedAt ?? ending.endedAt) + taintLateMs
  const keys = (pod.nodeAtEnd?.taints ?? [])
    .filter(({ effect, at }) => effect === 'NoExecute' && (at ?? 0) <= until)
    .map(({ key }) => key)
  const acts = keys.filter((key) => !lostKeys.has(key))
  const sentence = `The cluster deleted it for a taint of its node: ${clusterMessage(known)}`
  if (acts.length > 0)
    return likely('node-drained', sentence, `Somebody put the taint ${acts.join(', ')} on its node.`)
  if (keys.length > 0) {
    return likely('node-lost', sentence, `Its node had ${keys.join(', ')}: the node had stopped responding.`)
  }
  const unknown = ['which taint it was, and so whether its node was lost: none that fits is there any more']
  return { ...likely('node-drained', sentence), unknown }
}

function unseen(known: Known): Finding | null {
  const { pod, runner, ending, isEndMadeUp } = known
  if (pod === null || ending.startedAt === null) return null
  const reboot = rebootWords(known)
  if (!isEndMadeUp) return reboot === null ? null : perhapsUnseen(known, reboot)
  const sentence = `The runtime says ${runner?.reason ?? 'no reason'} for it: nobody saw its end.`
  const sandbox = pod.events.findLast(({ reason }) => reason === 'SandboxChanged')
  const because = [sentence, ...(sandbox === undefined ? [] : [`Its node said: ${sandbox.message}`])]
  if (reboot !== null) return likely('node-lost', ...because, reboot)
  const ready = readyOf(pod)
  if (ready?.status === 'True' && isMeanwhile(ready.at, ending)) {
    const back = new Date(ready.at ?? 0).toISOString()
    return likely(
      'node-lost',
      ...because,
      `Its node ${pod.place.node} turned ready at ${back}, after it had begun.`,
    )
  }
  return {
    ...unsure('unknown', ...because),
    unknown: ['whether its node or only its container runtime was restarted'],
  }
}

/** CRI-O reports 255 with Error for a container that it finds gone, and also for a program that ends with 255. */
function perhapsUnseen({ runner, pod, ending }: Known, reboot: string): Finding | null {
  const isAsked = pod?.deletedAt !== null || ending.stopRequestedBy !== null
  if (runner?.exitCode !== crioUnseenCode || runner.reason !== 'Error' || isAsked) return null
  const sentence = 'It has exit code 255, which CRI-O says of a container that it finds gone.'
  return {
    ...likely('node-lost', reboot, sentence),
    unknown: ['whether its program itself ended with 255, just before its node was rebooted'],
  }
}

function isMeanwhile(at: number | null, { startedAt, endedAt }: Known['ending']): boolean {
  return at !== null && at > (startedAt ?? at) && at <= endedAt + lostNodeMarkedWithinMs
}

function notReady({ pod, ending }: Known): Finding | null {
  const ready = pod === null ? undefined : readyOf(pod)
  if (pod === null || ready === undefined || ready.status === 'True') return null
  if (ending.exitCode !== null || ending.signal !== null || ending.startedAt === null) return null
  if (ready.at !== null && ready.at > ending.endedAt + lostNodeMarkedWithinMs) return null
  return likely('node-lost', `Its node ${pod.place.node} was not ready: ${conditionWords(ready)}`)
}

function conditionWords({ status, reason, message }: PodCondition): string {
  return [`Ready is ${status}`, reason, message].filter(Boolean).join(', ')
}
