import type { Instant } from '../time.ts'

/** The kinds of problems that keep runners of a pool from starting; also the reasons of a pool's conditions. */
export const startProblemKinds = [
  /** The image of a container cannot be had. */
  'ImagePull',
  /** A container cannot be made as its pool says: a missing key, a command that is not there. */
  'ConfigError',
  /** The place for its containers cannot be made: network, runtime class, a volume. */
  'SandboxFailed',
  /** It was placed, and its node does nothing about it. */
  'NodeSilent',
  /** It runs, and has not asked Holdfast for a job. */
  'HoldfastUnreachable',
  /** No node can take it. */
  'NoHealthyNode',
  'QuotaExceeded',
  /** The cluster refuses what the pool asks for. */
  'TemplateRefused',
  /** The forge gives no more jobs to the version of the runner in its image. */
  'RunnerOutdated',
] as const
export type StartProblemKind = (typeof startProblemKinds)[number]

export interface StartProblem {
  readonly kind: StartProblemKind
  /** The cluster's message, bounded. */
  readonly message: string
  readonly since: Instant
}

const remedies: Readonly<Record<StartProblemKind, string>> = {
  ImagePull: 'Check the name of the image and the pull secret.',
  ConfigError: 'Check the command, and the keys and volumes that the template names.',
  SandboxFailed: 'Check the runtime class, the network and the volumes on the node.',
  NodeSilent: 'Look at the kubelet and the container runtime of the node.',
  HoldfastUnreachable:
    'Check that pods reach Holdfast at fleet.serverUrl; the log of their container poller (in the single shape: runner) says why they do not.',
  NoHealthyNode: 'Add nodes, or ask for less, or correct selectors and tolerations in the template.',
  QuotaExceeded: 'Raise the quota of the namespace, or lower maxRunners or the resources of the pool.',
  TemplateRefused: 'Correct the template as the message says.',
  RunnerOutdated: 'Put a newer version of the runner into the image of the pool.',
}

/** The remedy for a problem. */
export function remedyOf(kind: StartProblemKind): string {
  return remedies[kind]
}

const notInTime = 'it did not ask for work in time'

/** Why a start is given up, in the words that stand with the order to stop it. */
export function givenUpReason(problem: Pick<StartProblem, 'kind' | 'message'> | null): string {
  return problem === null ? notInTime : `${problem.kind}: ${problem.message}`
}

/** The way back: `in-time` where nothing was known against it; null: it was stopped for something else. */
export function givenUpFor(reason: string | null): Pick<StartProblem, 'kind' | 'message'> | 'in-time' | null {
  if (reason === null) return null
  if (reason === notInTime) return 'in-time'
  const kind = startProblemKinds.find((each) => reason.startsWith(`${each}: `))
  return kind === undefined ? null : { kind, message: reason.slice(kind.length + 2) }
}
