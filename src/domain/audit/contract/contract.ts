import type { Amounts } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { RunnerHost } from '../../workdir/host.ts'

/** A place in the user's own source: where a value is declared. */
export interface SourcePlace {
  readonly file: string
  readonly line: number
}

/** A container's envelope as it is declared. */
export interface DeclaredContainer {
  readonly name: string
  /** Null: not declared. */
  readonly image: string | null
  readonly requests: Amounts
  readonly limits: Amounts
}

/** The parts of a lane that may each be declared at a place of their own. */
export const laneFields = [
  'scaleSets',
  'minRunners',
  'maxRunners',
  'containers',
  'nodes',
  'volumes',
  'credential',
  'pullSecret',
] as const
export type LaneField = (typeof laneFields)[number]

/** A lane: the envelope and place that one runner label promises. A part that is null or empty is not declared, and not compared. */
export interface DeclaredLane {
  readonly label: string
  /** Names of the scale sets that serve it, `name` or `namespace/name`; empty: every set with the label. */
  readonly scaleSets: readonly string[]
  /** Of each of its scale sets. */
  readonly minRunners: number | null
  readonly maxRunners: number | null
  readonly containers: readonly DeclaredContainer[]
  /** Names of the nodes on which its runners may be; empty: any. */
  readonly nodes: readonly string[]
  readonly volumes: readonly { readonly mountPath: string; readonly storageClass: string | null }[]
  /** The lane to which work moves after an OOM; null: none. */
  readonly afterOom: string | null
  /** Whether a repository has priority by policy; without one, sharing a label is contention. */
  readonly hasPriorityPolicy: boolean
  /** Name of the Secret with its credential, in the namespace of its scale sets. */
  readonly credential: string | null
  readonly pullSecret: string | null
  /** Where the lane is declared: in the user's own source, or else in the contract file. */
  readonly source: SourcePlace | null
  /** Where its parts are declared, as far as they have a place of their own. */
  readonly places: Readonly<Partial<Record<LaneField, SourcePlace>>>
}

/** A fix that exists, and the first image that has it. */
export interface KnownFix {
  readonly name: string
  /** Text that the failure prints. */
  readonly symptom: string
  /** The repository of the image: `ghcr.io/acme/host-operator`. */
  readonly image: string
  /** The first tag that has it. */
  readonly fixedIn: string
  /** When it was committed: an image that was built before cannot have it. Null: not declared. */
  readonly fixedAt: Instant | null
  /** Tags and commit ids that are known to predate it, where these have no order. */
  readonly without: readonly string[]
}

/** The labels that a build gave to an image. They are in the registry: no API of a cluster shows them. */
export interface ImageLabels {
  readonly version: string | null
  readonly revision: string | null
  readonly builtAt: Instant | null
}

/** Labels of one image, by its tag (`ghcr.io/acme/operator:main`) or its digest (`ghcr.io/acme/operator@sha256:…`). */
export interface LabelledImage extends ImageLabels {
  readonly image: string
}

/** The Nix binary cache that lanes are meant to use. */
export interface DeclaredNixCache {
  readonly server: string
  readonly cache: string
  /** Labels of the lanes that use it. */
  readonly lanes: readonly string[]
}

/** A job that proves the platform, by the name that the forge shows. */
export interface DeclaredProof {
  readonly repository: string
  readonly job: string
}

/** The declaration that an installation makes about itself, versioned with the user's own source. */
export interface Contract {
  readonly version: 1
  readonly file: string
  readonly lanes: readonly DeclaredLane[]
  readonly fixes: readonly KnownFix[]
  readonly images: readonly LabelledImage[]
  /** Runners below it are reported; null: not declared. */
  readonly minimumRunnerVersion: string | null
  readonly nixCache: DeclaredNixCache | null
  /** Persistent runners whose work folders may be looked at. */
  readonly runnerHosts: readonly RunnerHost[]
  /** Jobs that prove the platform: one signal 9 in them may be tried again once, without a person. */
  readonly platformProofs: readonly DeclaredProof[]
}

/** Where a part of a lane is declared, as `file:line`. */
export function placeText(lane: DeclaredLane, field: LaneField): string | null {
  const place = lane.places[field] ?? lane.source
  return place === null ? null : `${place.file}:${place.line}`
}
