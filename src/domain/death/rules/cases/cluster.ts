import type { PodEnd } from '../../ending.ts'
import { aPodEnd, aRunnerEnd, endedAt } from '../../testing.ts'
import { exit, type RuleCase } from './case.ts'

const evicted = (message: string, reason = 'Evicted') => ({
  ending: { ...exit(137), pod: aPodEnd({ reason, message, containers: [aRunnerEnd({ exitCode: 137 })] }) },
})
/** The container says in its own last message, which its job can write, what a kubelet or scheduler would say. */
const claimed = (message: string) => ({
  ending: {
    ...exit(137),
    tail: message,
    pod: aPodEnd({ containers: [aRunnerEnd({ exitCode: 137, message, tail: message })] }),
  },
})
const eviction = (what: string, words: string, as: RuleCase['class']): RuleCase => ({
  rule: `the kubelet evicted it${what}`,
  fires: evicted(words),
  class: as,
  confidence: 'proven',
  not: evicted(words, 'Other'),
  otherwise: 'sigkill-unknown',
  impostor: {
    how: 'its job writes the same words as the last message of its container, and kills it',
    facts: claimed(`Evicted: ${words}`),
    class: 'sigkill-unknown',
  },
})
const disrupted = (reason: string, over: Partial<PodEnd> = {}) => ({
  ending: {
    ...exit(143),
    pod: aPodEnd({ disruption: { reason, message: 'in its words' }, deletedAt: endedAt - 2000, ...over }),
  },
})
const spot = (key: string, effect = 'NoSchedule') => ({
  nodeAtEnd: {
    isGone: false,
    isCordoned: true,
    conditions: [],
    taints: [{ key, value: null, effect, at: endedAt - 60_000 }],
  },
})
const noNode = { isGone: true, isCordoned: false, conditions: [], taints: [] }
const killedFor = (reason: string, message: string) => ({
  ending: {
    ...exit(137),
    pod: aPodEnd({
      containers: [aRunnerEnd({ exitCode: 137 })],
      events: [{ type: 'Warning', reason, message, count: 1, firstAt: endedAt, lastAt: endedAt }],
    }),
  },
})
const madeUp = (reason: string) => ({
  ending: {
    ...exit(255),
    pod: aPodEnd({
      containers: [aRunnerEnd({ reason, exitCode: 255 })],
      nodeAtEnd: {
        isGone: false,
        isCordoned: false,
        taints: [],
        conditions: [{ type: 'Ready', status: 'True', reason: null, message: null, at: endedAt - 5_000 }],
      },
    }),
  },
})
const ready = (status: string) => ({
  ending: {
    pod: aPodEnd({
      containers: [aRunnerEnd({ state: 'running', exitCode: null })],
      nodeAtEnd: {
        isGone: false,
        isCordoned: false,
        taints: [],
        conditions: [
          { type: 'Ready', status, reason: 'NodeStatusUnknown', message: null, at: endedAt - 60_000 },
        ],
      },
    }),
  },
})

/** For tests: what a cluster says about a pod's end. */
export const clusterCases: readonly RuleCase[] = [
  eviction(
    ': it wrote more than it may',
    'Pod ephemeral local storage usage exceeds the total limit of containers 2Gi. ',
    'evicted-ephemeral-storage',
  ),
  eviction(': the node was short of inodes', 'The node was low on resource: inodes. ', 'evicted-inodes'),
  eviction(': the node was short of process ids', 'The node was low on resource: pids. ', 'evicted-pid'),
  eviction(': the node was short of memory', 'The node was low on resource: memory. ', 'evicted-memory'),
  eviction(': the node was short of disk space', 'The node had condition: [DiskPressure]. ', 'evicted-disk'),
  eviction('', 'The node is short of patience.', 'evicted'),
  {
    rule: 'its node was taken back',
    fires: disrupted('EvictionByEvictionAPI', spot('aws-node-termination-handler/spot-itn')),
    class: 'preempted',
    confidence: 'likely',
    not: disrupted('EvictionByEvictionAPI', spot('dedicated')),
    otherwise: 'node-drained',
  },
  {
    rule: 'the scheduler preempted it',
    fires: disrupted('PreemptionByScheduler'),
    class: 'preempted',
    confidence: 'proven',
    not: disrupted('Unheard'),
    otherwise: 'deleted',
    impostor: {
      how: 'somebody evicts it through the API to make room by hand',
      facts: disrupted('EvictionByEvictionAPI', { message: 'to make room for a pod of higher priority' }),
      class: 'node-drained',
    },
  },
  {
    rule: 'its node was drained',
    fires: disrupted('EvictionByEvictionAPI'),
    class: 'node-drained',
    confidence: 'likely',
    not: disrupted('EvictionByNobody', { deletedAt: null }),
    otherwise: 'terminated',
  },
  {
    rule: 'its node was shut down',
    fires: evicted('Pod was terminated in response to imminent node shutdown.', 'Terminated'),
    class: 'node-drained',
    confidence: 'proven',
    not: evicted('Pod was terminated.', 'Terminated'),
    otherwise: 'sigkill-unknown',
    impostor: {
      how: 'its job writes the words about a shutdown as the last message of its container, and kills it',
      facts: claimed('Pod was terminated in response to imminent node shutdown.'),
      class: 'sigkill-unknown',
    },
  },
  {
    rule: 'its node was lost',
    fires: disrupted('DeletionByPodGC', { nodeAtEnd: noNode }),
    class: 'node-lost',
    confidence: 'proven',
    not: disrupted('DeletionByNobody'),
    otherwise: 'deleted',
    impostor: {
      how: 'its kubelet was stopped for a while, and its node stands there all the time',
      facts: { ending: { pod: aPodEnd({ reason: 'NodeLost', nodeAtEnd: { ...noNode, isGone: false } }) } },
      class: 'node-lost',
    },
  },
  {
    rule: 'a taint put it off its node',
    fires: disrupted('DeletionByTaintManager', spot('acme.dev/repair', 'NoExecute')),
    class: 'node-drained',
    confidence: 'likely',
    not: disrupted('DeletionByNobody', spot('acme.dev/repair', 'NoExecute')),
    otherwise: 'deleted',
  },
  {
    rule: 'nobody saw its end',
    fires: madeUp('Unknown'),
    class: 'node-lost',
    confidence: 'likely',
    not: madeUp('Error'),
    otherwise: 'failed',
  },
  {
    rule: 'the kubelet killed it for a probe',
    fires: killedFor('Killing', 'Container runner failed liveness probe'),
    class: 'probe-failed',
    confidence: 'likely',
    not: killedFor('Killing', 'Container dind failed liveness probe'),
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'its postStart hook failed',
    fires: killedFor('FailedPostStartHook', 'PostStartHook failed'),
    class: 'hook-failed',
    confidence: 'likely',
    not: killedFor('FailedPreStopHook', 'PreStopHook failed'),
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'its node was not ready before its end',
    fires: ready('Unknown'),
    class: 'node-lost',
    confidence: 'likely',
    not: ready('True'),
    otherwise: 'unknown',
  },
  {
    rule: 'its pod ran past its deadline',
    fires: { ending: { ...exit(143), pod: aPodEnd({ reason: 'DeadlineExceeded' }) } },
    class: 'deadline-exceeded',
    confidence: 'proven',
    not: { ending: { ...exit(143), pod: aPodEnd() } },
    otherwise: 'terminated',
    impostor: {
      how: 'its job ends it at a deadline of its own, and says DeadlineExceeded',
      facts: claimed('DeadlineExceeded: Pod was active on the node longer than the specified deadline'),
      class: 'sigkill-unknown',
    },
  },
]
