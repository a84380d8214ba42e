import { givenUpFor } from '../../pool/index.ts'
import type { ContainerEnd, PodEnd } from '../ending.ts'
import type { Known } from '../known.ts'
import { quote } from '../log.ts'
import { isPlaceholder } from '../placeholder.ts'
import type { DeathClass } from '../record.ts'
import { type DeathRule, type Finding, likely, proven, unsure } from '../verdict.ts'
import { rule } from './rule.ts'

/** See images/poller/poller.sh. */
const pollerLeft = 10
/** The rule for a runner whose poller Holdfast asked to leave. */
export const askedToLeaveRule = 'its poller was told to leave'
/** The kubelet's reasons for a container that could not be started. */
const startErrors: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun'])
/** Exit codes for SIGKILL and SIGTERM. */
const endedFromOutside: ReadonlySet<number> = new Set([137, 143])
const byState =
  'The kubelet says in the state of a container of this pod what it cannot do for it, and Holdfast saw no start of the runner: a container whose state says so has not begun. A pod that had such a problem and got over it has a start, and the problem is not held against it.'
type StartProblemKind = NonNullable<PodEnd['trouble']>['kind']

const kept: readonly (Omit<DeathRule, 'fires' | 'needs'> & { kinds: readonly StartProblemKind[] })[] = [
  {
    name: 'its image could not be had',
    gives: ['image-pull'],
    kinds: ['ImagePull'],
    means: 'A container did not start since its image could not be pulled.',
    mustNotConclude: 'That the cluster has no room: such a pod is only Pending in a list.',
    nextSteps: [
      'Check the name of the image and the pull secret with the words of the registry (401, 403, 404).',
    ],
    proof: { rests: 'cluster', argument: byState },
  },
  {
    name: 'its container could not be set up',
    gives: ['config-error'],
    kinds: ['ConfigError', 'TemplateRefused'],
    means:
      'A container could not be made or prepared as its pool says: a missing key, a command that is not there.',
    mustNotConclude: 'That the node is broken: the same pool fails everywhere.',
    nextSteps: ['Correct what the words name in the pool: command, environment, template.'],
    proof: { rests: 'cluster', argument: byState },
  },
  {
    name: 'the place for its containers could not be made',
    gives: ['sandbox-failed'],
    kinds: ['SandboxFailed'],
    means: 'The node could not make what its containers need: network, runtime class or a volume.',
    mustNotConclude: 'That the image or the pool is wrong, unless the words name a volume of the pool.',
    nextSteps: [
      'See whether others fail on the same node; if so, look at its network plugin and container runtime.',
    ],
  },
  {
    name: 'something kept it from starting',
    gives: ['never-started'],
    kinds: ['NodeSilent', 'HoldfastUnreachable', 'NoHealthyNode', 'QuotaExceeded'],
    means: 'It was not placed, or its node did nothing about it, or it did not reach Holdfast.',
    mustNotConclude: 'That there is no room, where the words name a node that is silent.',
    nextSteps: [
      'Go by the words: free a quota or add nodes; look at a node that does nothing about its pods.',
    ],
  },
]

/** Rules for a known obstacle to the start; it stays the cause where Holdfast stopped the runner in the end. */
export const startRules: readonly DeathRule[] = [
  ...kept.map(({ kinds, ...row }) =>
    rule({
      ...row,
      needs:
        'The runner never started, and the cluster or its node said what was wrong, at the end or when we gave it up.',
      fires: (known) => stuck(known, kinds, row.gives[0] as DeathClass),
    }),
  ),
  rule({
    name: 'given up before anything of it started',
    gives: ['never-started'],
    means: 'Nothing of it had started at the start deadline of its pool, and Holdfast gave it up.',
    needs: 'The order to stop it for that reason, and a runner that was never seen to start.',
    mustNotConclude:
      'That its node is broken: a large image or a slow volume may only need a longer deadline.',
    nextSteps: [
      'See whether other runners start on the same node; if none is slow but this one, look at its image and volumes.',
      'Raise startDeadlineSeconds of the pool where starts are slow and go well.',
    ],
    proof: {
      rests: 'cluster',
      argument:
        'Holdfast gave this order itself, since it had seen no start by then, and the kubelet last reported that the runner waits for a reason that it names. Where the kubelet lost sight of the container, or said nothing of it, it may have begun unseen, and this is likely.',
    },
    fires: givenUp,
  }),
]

/** Rules for a runner that did not start, without a known obstacle. */
export const unstartedRules = [
  rule({
    name: askedToLeaveRule,
    gives: ['terminated'],
    means: 'Holdfast asked the runner to leave before it had a job.',
    needs:
      "The poller's exit code 10 and a runner that never started, or, of a poller in the runner's container, that code, its line in the log and no job.",
    mustNotConclude: 'That anything failed.',
    nextSteps: [],
    proof: {
      rests: 'cluster',
      argument:
        'The poller is a program of Holdfast in a container of its own that ends before anything of a job begins, and gives this code only where Holdfast asked it to leave. A runner that ends with the same code is another container.',
    },
    fires: askedToLeave,
  }),
  rule({
    name: 'never started',
    gives: ['never-started'],
    means: 'Its program was never started.',
    needs:
      'No start was seen, and its container was not lost out of sight. Likely where its container is said to wait, or its host says that it could not start it; that nothing was seen says nothing.',
    mustNotConclude: 'Why: a container before it may have failed, or its node may have done nothing.',
    nextSteps: [
      'See whether other runners failed to start on the same node: such a node is kept out of use.',
    ],
    proof: {
      rests: 'cluster',
      argument:
        "A container that must end well before the runner may begin has ended badly, by the kubelet's status: after that nothing of the pod begins. That no start was seen is no proof by itself, and likely.",
    },
    fires: neverStarted,
  }),
]

function neverStarted({ ending, pod, runner, log }: Known): Finding | null {
  if (ending.startedAt !== null || ending.exitCode !== null || ending.signal !== null) return null
  const why = pod === null ? [] : whyNotStarted(pod)
  if (why === null) return null
  const because = ['Its program was never started.', ...why]
  if (pod !== null && failedBefore(pod) !== undefined) return proven('never-started', ...because)
  if (runner !== undefined && isWaiting(runner)) return likely('never-started', ...because)
  if (log.notStarted !== undefined) return likely('never-started', ...because, quote(log, 'notStarted'))
  return unsure('never-started', 'No start of it was seen.', ...why)
}

function askedToLeave({ ending, job, pod, runner, log }: Known): Finding | null {
  const sentence = 'Holdfast asked it to leave, and it had no job.'
  const poller = pod?.containers.find(({ name }) => name === 'poller')
  if (poller !== undefined) {
    const isBefore = ending.startedAt === null && poller.exitCode === pollerLeft
    return isBefore ? proven('terminated', sentence) : null
  }
  // Without a job only the poller ran in it; a runner that is not Holdfast's does not have the line.
  const isOne = runner?.exitCode === pollerLeft && job === null && log.askedToLeave !== undefined
  return isOne ? likely('terminated', sentence) : null
}

/** The known reasons why it did not start; null where it may have started unseen. */
function whyNotStarted({ containers, reason, message }: PodEnd): readonly string[] | null {
  const failed = failedBefore({ containers })
  if (failed !== undefined)
    return [`Its container ${failed.name} ended with exit code ${failed.exitCode} first.`]
  if (containers.some(isOutOfSight)) return null
  return reason === null ? [] : [`Its pod says ${reason}: ${message ?? 'no more is said'}`]
}

/** The init container that failed; one that was ended from outside, as with its pod, has not. */
function failedBefore({ containers }: Pick<PodEnd, 'containers'>): ContainerEnd | undefined {
  return containers.find(
    ({ isInit, exitCode }) =>
      isInit && exitCode !== null && exitCode !== 0 && !endedFromOutside.has(exitCode),
  )
}

function isOutOfSight(container: ContainerEnd): boolean {
  return container.name === 'runner' && isPlaceholder(container)
}

/** The obstacle by its pod, or else by the reason of Holdfast's stop: a deleted pod loses its status. */
function stuck(
  { pod, ending }: Known,
  kinds: readonly StartProblemKind[],
  gives: DeathClass,
): Finding | null {
  if (pod === null || ending.startedAt !== null) return null
  const by = ending.stopRequestedBy
  const reason = givenUpFor(by)
  const problem = pod.trouble ?? (reason === 'in-time' ? null : reason)
  if (problem === null || !kinds.includes(problem.kind)) return null
  const stopped = by === null ? [] : [`Holdfast stopped it then: ${by}.`]
  const sentence = `It did not get going, ${problem.kind}: ${problem.message}`
  // A silent node reports nothing: that it is degraded is only the best guess.
  const isSure = problem.kind !== 'NodeSilent' && pod.containers.some(hasNotBegun)
  return (isSure ? proven : likely)(gives, sentence, ...stopped)
}

/** The finding for a start that Holdfast gave up; a container that starts during the stop is too late. */
function givenUp({ pod, ending }: Known): Finding | null {
  if (pod === null || ending.startedAt !== null || givenUpFor(ending.stopRequestedBy) !== 'in-time')
    return null
  const late = pod.containers.filter(({ startedAt }) => startedAt !== null).map(({ name }) => name)
  const because = [
    'Nothing of it had started at its start deadline, and Holdfast gave it up.',
    ...progress(pod),
    ...(late.length === 0 ? [] : [`Its ${late.join(' and ')} began only while it was being stopped.`]),
  ]
  if (pod.containers.some(isWaiting)) return proven('never-started', ...because)
  return { ...likely('never-started', ...because), unknown: ['whether it started out of sight after that'] }
}

/** Whether the kubelet reports that it has not begun; no status at all does not count. */
function hasNotBegun(container: ContainerEnd): boolean {
  return isWaiting(container) || (container.name === 'runner' && startErrors.has(container.reason ?? ''))
}

function isWaiting({ name, state, reason }: ContainerEnd): boolean {
  return name === 'runner' && state === 'waiting' && reason !== null
}

/** Sentences about how far it had come. */
function progress({ place, conditions, events, containers }: PodEnd): string[] {
  const waits = containers.find(({ state, reason }) => state === 'waiting' && reason !== null)
  const placed = conditions.find(({ type }) => type === 'PodScheduled')
  const warning = events.findLast(({ type }) => type === 'Warning')
  const where =
    place.node === null
      ? `No node was found for it: ${placed?.message ?? placed?.reason ?? 'the scheduler has not said why'}`
      : `It was placed on ${place.node}${waits === undefined ? '' : `, where its container ${waits.name} waited (${waits.reason})`}.`
  return [
    where,
    ...(warning === undefined ? [] : [`The cluster said: ${warning.reason}: ${warning.message}`]),
  ]
}
