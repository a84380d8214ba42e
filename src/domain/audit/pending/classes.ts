import type { FindingClass } from '../audit.ts'
import type { NextAction, Severity } from '../finding.ts'
import type { SchedulerCause } from '../scheduler-message.ts'

/** Why a pod is still Pending. */
export type PendingCause =
  | 'image-pull-blocked'
  | SchedulerCause
  | 'priority-pressure'
  | 'scheduling-gated'
  | 'config-error'
  | 'volume-waiting'
  | 'sandbox-waiting'
  | 'init-waiting'
  | 'start-unexplained'

interface CauseText {
  readonly title: string
  readonly severity: Severity
  readonly mustNotConclude: readonly string[]
  readonly next: NextAction
}

const pendingIsNotCapacity = 'Pending is not capacity: the cause is the one named here, and no other.'
const noRaise = 'Raising maxRunners is not the answer: it makes more pods that wait.'

const capacity: NextAction = {
  kind: 'read',
  text: 'See which resource limits the label, and what one more slot needs.',
  command: 'holdfast capacity check',
}
const shortOf = (what: string, also: readonly string[] = []): CauseText => ({
  title: `No node has enough ${what} left for a pod`,
  severity: 'warning',
  mustNotConclude: [
    `Free ${what} in the whole cluster is not capacity: one node must have enough for one pod.`,
    noRaise,
    ...also,
  ],
  next: capacity,
})
const inSource = (text: string): NextAction => ({ kind: 'person', text, command: null })

/** Texts and next actions by cause, in the order in which causes are looked for. */
export const causeTexts: Readonly<Record<PendingCause, CauseText>> = {
  'image-pull-blocked': {
    title: 'Pods wait for an image that cannot be pulled',
    severity: 'critical',
    mustNotConclude: [
      pendingIsNotCapacity,
      'A pull that works on another node may come from an image that is already there.',
    ],
    next: {
      kind: 'read',
      text: 'Compare the pull secrets, and read what the registry answered.',
      command: 'holdfast audit pull-secrets',
    },
  },
  'insufficient-cpu': shortOf('cpu'),
  'insufficient-memory': shortOf('memory'),
  'insufficient-ephemeral-storage': shortOf('ephemeral storage', [
    "Space on storage nodes or volumes is not the kubelet's own disk.",
  ]),
  'insufficient-extended-resource': shortOf('of an extended resource'),
  'too-many-pods': {
    title: 'No node has a pod slot left',
    severity: 'warning',
    mustNotConclude: [
      'Free cpu and memory are not capacity where all pod slots of a node are taken.',
      noRaise,
    ],
    next: {
      kind: 'read',
      text: 'See what holds the slots: residue, completed pods, or live jobs.',
      command: 'holdfast audit burst',
    },
  },
  'volume-node-affinity': {
    title: "A pod's volume is bound to a node that does not take the pod",
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity, 'Another node with room does not help: the volume cannot move.'],
    next: inSource(
      "Compare the volume's node with the lane's placement, and correct one of them in its source.",
    ),
  },
  'unbound-claim': {
    title: 'A pod waits for a volume that is not bound',
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity, 'More nodes do not help while no volume is provisioned.'],
    next: inSource("Check the claim's storage class and its provisioner."),
  },
  'untolerated-taint': {
    title: 'Nodes have a taint that the pod does not tolerate',
    severity: 'warning',
    mustNotConclude: [
      pendingIsNotCapacity,
      'Not every taint that is named is wrong: control-plane nodes are tainted by design.',
    ],
    next: inSource("Add the toleration to the lane's source, or find who put the taint on the node."),
  },
  'selector-mismatch': {
    title: "No node matches the pod's selector or affinity",
    severity: 'warning',
    mustNotConclude: [
      pendingIsNotCapacity,
      'More nodes help only where they have the labels that are asked for.',
    ],
    next: inSource("Compare the lane's selector and affinity with the labels of the nodes."),
  },
  'cordoned-nodes': {
    title: 'The nodes that would take the pod are cordoned',
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity, 'A cordoned node is not broken: somebody closed it.'],
    next: inSource('Find who cordoned the nodes, and whether they may be opened.'),
  },
  unschedulable: {
    title: 'The scheduler places a pod nowhere, for a reason that is not known here',
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity],
    next: inSource("Read the scheduler's own message."),
  },
  'priority-pressure': {
    title: 'Pods of higher priority go first',
    severity: 'warning',
    mustNotConclude: [
      'The cluster is not broken: priorities say that this may happen.',
      'A runner that was preempted did not fail.',
    ],
    next: inSource('Give runners a priority class that fits their worth, in its source.'),
  },
  'scheduling-gated': {
    title: 'A pod is held back by a scheduling gate',
    severity: 'notice',
    mustNotConclude: [pendingIsNotCapacity, 'The scheduler has not even looked at it.'],
    next: inSource('Find the controller that owns the gate, and why it does not open it.'),
  },
  'config-error': {
    title: 'A container cannot be made as its pod says',
    severity: 'critical',
    mustNotConclude: [pendingIsNotCapacity, 'The node is not broken: the same pod fails everywhere.'],
    next: inSource('Correct the Secret, key, command or mount that the message names, in its source.'),
  },
  'volume-waiting': {
    title: 'A pod is placed and waits for a volume',
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity],
    next: inSource("Read the kubelet's message about the volume; look at its driver on that node."),
  },
  'sandbox-waiting': {
    title: 'A pod is placed, and its node cannot make its sandbox',
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity, 'The image and the lane are not to blame.'],
    next: inSource('Look at the network plugin and the container runtime of the nodes that are named.'),
  },
  'init-waiting': {
    title: "A pod's init container does not finish",
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity],
    next: inSource("Read the init container's log."),
  },
  'start-unexplained': {
    title: 'A pod does not start, and nothing says why',
    severity: 'warning',
    mustNotConclude: [pendingIsNotCapacity, 'Silence of a scheduler or kubelet is no statement about room.'],
    next: inSource('See whether the scheduler runs, and whether the kubelet of its node does anything.'),
  },
}

export function classOf(cause: PendingCause): FindingClass {
  const { title, mustNotConclude } = causeTexts[cause]
  return { name: cause, entry: 'E15', title, mustNotConclude, page: 'pending.md' }
}

export const pendingClasses: readonly FindingClass[] = Object.keys(causeTexts).map((cause) =>
  classOf(cause as PendingCause),
)

export const hpaAtMax: FindingClass = {
  name: 'hpa-at-max',
  entry: 'E15',
  title: 'An autoscaler is at its maximum and wants more',
  mustNotConclude: [
    "The load of a runner manager's own processor does not measure queued jobs.",
    'The cluster is not full: the maximum is a number in a file.',
  ],
  page: 'pending.md',
}
