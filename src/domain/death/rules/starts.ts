import type { PodEnd } from '../ending.ts'
import type { Known } from '../known.ts'
import type { DeathClass } from '../record.ts'
import { type DeathRule, type Finding, likely, proven } from '../verdict.ts'
import { rule } from './rule.ts'

/** What the kubelet writes over a container of which it knows nothing any more. */
const LOST_SIGHT = 'ContainerStatusUnknown'
/** See images/poller/poller.sh. */
const POLLER_LEFT = 10
type TroubleKind = NonNullable<PodEnd['trouble']>['kind']

const kept: readonly (Omit<DeathRule, 'fires' | 'needs'> & { kinds: readonly TroubleKind[] })[] = [
  {
    name: 'its image could not be had',
    gives: ['image-pull'],
    kinds: ['ImagePull'],
    means: 'A container did not start since its image could not be pulled.',
    mustNotConclude: 'That the cluster has no room: such a pod is only Pending in a list.',
    nextSteps: [
      'Check the name of the image and the pull secret with the words of the registry (401, 403, 404).',
    ],
  },
  {
    name: 'its container could not be set up',
    gives: ['config-error'],
    kinds: ['ConfigError', 'TemplateRefused'],
    means:
      'A container could not be made or prepared as its pool says: a missing key, a command that is not there.',
    mustNotConclude: 'That the node is broken: the same pool fails everywhere.',
    nextSteps: ['Correct what the words name in the pool: command, environment, template.'],
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

/** Also where we stopped it at last: what kept it from starting is why. */
export const startRules: readonly DeathRule[] = kept.map(({ kinds, ...row }) =>
  rule({
    ...row,
    needs: 'The runner never started, and the cluster or its node said what was wrong.',
    fires: (known) => stuck(known, kinds, row.gives[0] as DeathClass),
  }),
)

/** Nothing is known of what kept it, only that it did not start. */
export const unstartedRules = [
  rule({
    name: 'its poller was told to leave',
    gives: ['terminated'],
    means: 'Holdfast told the runner to leave before it had a job.',
    needs: "The poller's exit code 10, and a runner that never started.",
    mustNotConclude: 'That anything failed.',
    nextSteps: [],
    fires: ({ ending, pod }) => {
      const poller = pod?.containers.find(({ name }) => name === 'poller')
      if (ending.startedAt !== null || poller?.exitCode !== POLLER_LEFT) return null
      return proven('terminated', 'Holdfast told it to leave, and it had no job.')
    },
  }),
  rule({
    name: 'never started',
    gives: ['never-started'],
    means: 'Its program was never started.',
    needs: 'No start was seen, and its container was not lost out of sight.',
    mustNotConclude: 'Why: a container before it may have failed, or its node may have done nothing.',
    nextSteps: [
      'See whether other runners failed to start on the same node: such a node is kept out of use.',
    ],
    fires: ({ ending, pod }) => {
      if (ending.startedAt !== null) return null
      const why = pod === null ? [] : whyNotStarted(pod)
      return why === null ? null : proven('never-started', 'Its program was never started.', ...why)
    },
  }),
]
/** What is known of why it did not start; null where it may have started out of sight. */
function whyNotStarted({ containers, reason, message }: PodEnd): readonly string[] | null {
  const failed = containers.find(({ isInit, exitCode }) => isInit && exitCode !== null && exitCode !== 0)
  if (failed !== undefined)
    return [`Its container ${failed.name} ended with exit code ${failed.exitCode} first.`]
  if (containers.find(({ name }) => name === 'runner')?.reason === LOST_SIGHT) return null
  return reason === null ? [] : [`Its pod says ${reason}: ${message ?? 'no more is said'}`]
}

function stuck({ pod, ending }: Known, kinds: readonly TroubleKind[], gives: DeathClass): Finding | null {
  const trouble = pod?.trouble ?? null
  if (trouble === null || ending.startedAt !== null || !kinds.includes(trouble.kind)) return null
  const by = ending.stopRequestedBy
  const stopped = by === null ? [] : [`Holdfast stopped it then: ${by}.`]
  const said = `It did not get going, ${trouble.kind}: ${trouble.message}`
  // A silent node says nothing: that it is degraded is only the best reading.
  return trouble.kind === 'NodeSilent' ? likely(gives, said, ...stopped) : proven(gives, said, ...stopped)
}
