import { deleterOf } from '../deleter.ts'
import type { Known } from '../known.ts'
import type { DeathClass } from '../record.ts'
import { type DeathRule, likely, proven } from '../verdict.ts'
import { clusterMessage, rule } from './rule.ts'

type Evicted = Extract<DeathClass, `evicted${string}`>

/**
 * Eviction messages of the kubelet, from its first releases to now; the first match counts. Limits of the pod itself stand
 * first: such a message names the storage too. In 1.4 to 1.9 the resource was a file system or a condition, in
 * 1.8 to 1.12 the sentences about limits began with a small letter, and up to 1.18 "Pod" could stand before them.
 */
const texts: readonly { readonly words: RegExp; readonly gives: Evicted }[] = [
  { words: /exceeded its local ephemeral storage limit/i, gives: 'evicted-ephemeral-storage' },
  { words: /ephemeral local storage usage exceeds the total limit/i, gives: 'evicted-ephemeral-storage' },
  { words: /usage of emptydir volume .{0,300}exceeds the limit/i, gives: 'evicted-ephemeral-storage' },
  { words: /emptydir usage exceeds the limit/i, gives: 'evicted-ephemeral-storage' },
  { words: /low on resource: \[?(?:inodes|nodefsinodes|imagefsinodes)/i, gives: 'evicted-inodes' },
  { words: /low on resource: \[?pids/i, gives: 'evicted-pid' },
  { words: /low on resource: \[?memory/i, gives: 'evicted-memory' },
  { words: /low on resource: \[?(?:ephemeral-storage|nodefs|imagefs|storage|disk)/i, gives: 'evicted-disk' },
  { words: /(?:condition|resource): \[?[a-z ,]{0,60}diskpressure/i, gives: 'evicted-disk' },
  { words: /(?:condition|resource): \[?[a-z ,]{0,60}memorypressure/i, gives: 'evicted-memory' },
  { words: /(?:condition|resource): \[?[a-z ,]{0,60}pidpressure/i, gives: 'evicted-pid' },
]
/** A kubelet's message is short; the rest of a longer text is not matched. */
const wordsCharsMax = 2_000

/** The reason of an eviction by the kubelet's message; `evicted` where the message is not known. */
export function evictionOf(message: string): Evicted {
  const start = message.slice(0, wordsCharsMax)
  return texts.find((text) => text.words.test(start))?.gives ?? 'evicted'
}

const evictions: readonly (Omit<DeathRule, 'fires' | 'needs' | 'gives'> & { gives: readonly [Evicted] })[] = [
  {
    name: 'the kubelet evicted it: it wrote more than it may',
    gives: ['evicted-ephemeral-storage'],
    means: 'What the runner wrote to its disk or to a volume of its pod passed its own limit.',
    mustNotConclude: 'That the node was short of disk space: the limit is that of this pod.',
    nextSteps: [
      "Raise the pool's limit on ephemeral storage or the volume's sizeLimit, or let the job write less.",
    ],
  },
  {
    name: 'the kubelet evicted it: the node was short of inodes',
    gives: ['evicted-inodes'],
    means: 'The node had too few inodes left, and the kubelet put pods off it.',
    mustNotConclude: 'That the disk was full: many small files are enough.',
    nextSteps: ['Look for caches of many small files on the node; clean them, or move them to a volume.'],
  },
  {
    name: 'the kubelet evicted it: the node was short of process ids',
    gives: ['evicted-pid'],
    means: 'The node had too few process ids left, and the kubelet put pods off it.',
    mustNotConclude: 'That this runner made too many processes: it may have been another pod.',
    nextSteps: ['Set podPidsLimit on the kubelets, so that one pod cannot use up the ids of its node.'],
  },
  {
    name: 'the kubelet evicted it: the node was short of memory',
    gives: ['evicted-memory'],
    means: 'The node had too little memory left, and the kubelet put pods off it.',
    mustNotConclude: 'That the runner was at its own limit: the node gave more than it has.',
    nextSteps: [
      'Raise the memory request of the pool to what its jobs use, so that fewer are placed on a node.',
    ],
  },
  {
    name: 'the kubelet evicted it: the node was short of disk space',
    gives: ['evicted-disk'],
    means: 'The disk of the node or of its images was nearly full, and the kubelet put pods off it.',
    mustNotConclude:
      'That storage elsewhere is full: it is the disk of the kubelet or of the images on this node.',
    nextSteps: [
      'Look at the disk of the node: images, logs, and what other pods write.',
      'Raise the request for ephemeral storage of the pool, so that fewer runners share one disk.',
    ],
  },
  {
    name: 'the kubelet evicted it',
    gives: ['evicted'],
    means: 'The kubelet evicted it, with a message that is not known here.',
    mustNotConclude: 'What the node was short of.',
    nextSteps: ['Read the message of the kubelet, and the conditions of the node at that time.'],
  },
]

const proof = {
  rests: 'cluster',
  argument:
    "The kubelet writes the reason Evicted and for what into the pod's own status, and ends the pod itself; nothing that runs in the pod can write there. A pod that is evicted through the API, or one whose log or last message speaks of an eviction, has no such reason. Where only the condition TerminationByKubelet stands there and its message is not known, it is likely.",
} as const

/** One rule for each resource that a node can run short of. */
export const evictionRules: readonly DeathRule[] = evictions.map(({ gives, ...row }) =>
  rule({
    ...row,
    gives,
    proof,
    needs: 'The pod is Evicted, or was ended by the kubelet, and the message says for what.',
    fires: (known) => {
      if (!isEvicted(known)) return null
      const { pod } = known
      const found = evictionOf(`${pod?.message ?? ''} ${pod?.disruption?.message ?? ''}`)
      if (found !== gives[0]) return null
      const isKnown = pod?.reason === 'Evicted' || found !== 'evicted'
      const finding = (isKnown ? proven : likely)(found, `The kubelet evicted it: ${clusterMessage(known)}`)
      return found === 'evicted' ? { ...finding, unknown: ['what its node was short of'] } : finding
    },
  }),
)

function isEvicted({ ending, pod }: Known): boolean {
  return pod !== null && deleterOf(ending) === 'kubelet-eviction'
}
