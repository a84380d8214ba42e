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
] as const
export type TroubleKind = (typeof troubleKinds)[number]

export interface Trouble {
  readonly kind: TroubleKind
  /** What the cluster said, in its own words, cut to a bound. */
  readonly message: string
  readonly since: Instant
}
