import type { Raise } from '../../capacity/index.ts'

/**
 * Kinds of obstacles to more runners: a registry, a credential, the order between repositories, pods that find no place or do
 * not start, or a scale set that ARC does not serve.
 */
export type BlockerGroup = 'image-pull' | 'credential' | 'fairness' | 'scheduler' | 'arc'

export interface RaiseBlocker {
  readonly group: BlockerGroup
  /** Why more capacity does not help while a finding of the class is open. */
  readonly why: string
  /** Whether more room (nodes, quota, another place) is its answer: then it stands against a higher maximum alone. */
  readonly isAnsweredByRoom: boolean
}

const pullFirst = 'Runners or listeners cannot get their image: more of them wait for the same pull.'
const waitsMore =
  'The scheduler places pods of the label nowhere: a higher maximum makes more pods that wait.'
const notStarted =
  'Pods of the label are placed and do not start: a higher maximum makes more pods that wait.'

const pull = blocker('image-pull', pullFirst)
const room = blocker('scheduler', waitsMore, true)
const placement = blocker('scheduler', waitsMore)
const start = blocker('scheduler', notStarted)
const unserved = blocker(
  'arc',
  'The set gets no jobs, whatever its maximum is: it has no listener that works.',
)

/** Classes of findings that refuse a raise of capacity of their label. A class that is not here never does. */
export const raiseBlockers: Readonly<Record<string, RaiseBlocker>> = {
  'image-pull-blocked': pull,
  'controller-pull-secret-missing': pull,
  'controller-pull-secret-stale': pull,
  'controller-pull-secret-public-only': pull,
  'runner-pull-secret-missing': pull,
  'credential-invalid': pull,

  'pat-budget-exhausted': blocker(
    'credential',
    'The credential has no calls left: more runners cannot even register.',
  ),
  'budget-will-run-out': blocker('credential', 'More runners spend the calls that are left sooner.'),
  'auth-secret-namespace-drift': blocker(
    'credential',
    'It is not known which of two credentials is good: the next listener may be refused.',
  ),
  'app-secret-bad-key': blocker(
    'credential',
    'ARC cannot read the credential: no runner is made, whatever the maximum is.',
  ),
  'credential-missing': blocker(
    'credential',
    'There is no credential: no runner is made, whatever the maximum is.',
  ),
  'scale-set-never-registered': blocker(
    'credential',
    'The forge does not know the set: no job can reach it, whatever its maximum is.',
  ),

  'shared-label-fairness-contention': blocker(
    'fairness',
    'Who goes first is not decided: those who hold the label take what is added.',
  ),
  'repository-starved': blocker(
    'fairness',
    'Others overtake a repository that waits: they take what is added, too.',
  ),

  'scheduler-resource-pressure': room,
  'insufficient-cpu': room,
  'insufficient-memory': room,
  'insufficient-ephemeral-storage': room,
  'insufficient-extended-resource': room,
  'too-many-pods': room,
  'quota-exceeded': blocker(
    'scheduler',
    'A quota refuses pods of the label already: a higher maximum makes more that are refused.',
    true,
  ),
  'volume-node-affinity': placement,
  'unbound-claim': placement,
  'untolerated-taint': placement,
  'selector-mismatch': placement,
  'cordoned-nodes': placement,
  unschedulable: placement,
  'priority-pressure': placement,
  'scheduling-gated': placement,
  'config-error': start,
  'volume-waiting': start,
  'sandbox-waiting': start,
  'init-waiting': start,
  'start-unexplained': start,

  'listener-missing': unserved,
  'listener-crash-loop': unserved,
  'listener-not-ready': unserved,
  'rollover-deadlock': unserved,
  'stale-idle-listener-blocker': unserved,
  outdated: blocker('arc', 'The forge refuses runners of this version, however many there are.'),
  'failed-runners-hold-slots': blocker(
    'arc',
    'The maximum is not too low: failed runners hold its slots.',
    true,
  ),
}

/** Null where findings of the class do not stand against this raise. */
export function blockerOf(name: string, { kind }: Pick<Raise, 'kind'>): RaiseBlocker | null {
  const blocker = Object.hasOwn(raiseBlockers, name) ? raiseBlockers[name] : undefined
  return blocker === undefined || (kind === 'room' && blocker.isAnsweredByRoom) ? null : blocker
}

function blocker(group: BlockerGroup, why: string, isAnsweredByRoom = false): RaiseBlocker {
  return { group, why, isAnsweredByRoom }
}
