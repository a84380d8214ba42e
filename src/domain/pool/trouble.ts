import type { Instant } from '../time.ts'

/** What keeps runners of a pool from getting going; the words are also the reasons of a pool's conditions. */
export const troubleKinds = [
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
export type TroubleKind = (typeof troubleKinds)[number]

export interface Trouble {
  readonly kind: TroubleKind
  /** What the cluster said, in its own words, cut to a bound. */
  readonly message: string
  readonly since: Instant
}

const NOT_IN_TIME = 'it did not ask for work in time'

/** Why a start is given up, in the words that stand with the order to stop it. */
export function givenUpReason(trouble: Pick<Trouble, 'kind' | 'message'> | null): string {
  return trouble === null ? NOT_IN_TIME : `${trouble.kind}: ${trouble.message}`
}

/** The way back: `in-time` where nothing was known against it; null: it was stopped for something else. */
export function givenUpFor(reason: string | null): Pick<Trouble, 'kind' | 'message'> | 'in-time' | null {
  if (reason === null) return null
  if (reason === NOT_IN_TIME) return 'in-time'
  const kind = troubleKinds.find((each) => reason.startsWith(`${each}: `))
  return kind === undefined ? null : { kind, message: reason.slice(kind.length + 2) }
}
