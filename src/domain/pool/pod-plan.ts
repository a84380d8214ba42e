/** Where the runner's program runs: in a container that has no credential at all, or in the one that polls. */
export const podShapes = ['isolated', 'single'] as const
export type PodShape = (typeof podShapes)[number]

/** The plan of a pool's pods, without the parts that Holdfast itself adds. */
export interface PodPlan {
  readonly shape: PodShape
  /** Image of the runner. */
  readonly image: string
  /** Program and arguments of the runner; null: what the image says. */
  readonly command: readonly string[] | null
  readonly resources: {
    readonly requests: Readonly<Record<string, string>>
    readonly limits: Readonly<Record<string, string>>
  }
  readonly runtimeClass: string | null
  /** The Docker daemon next to the runner; null without one. */
  readonly dind: DindPlan | null
  /** A PodTemplateSpec that is merged into ours, as people write it; `{}` where nothing is said. */
  readonly template: Readonly<Record<string, unknown>>
  /** Whether the runner's container prints its own vitals to its log; unset: no. */
  readonly vitals?: boolean
  /** How long a runner may take to report its end when it is asked to stop. */
  readonly stopGraceMs: number
  readonly evidence: EvidencePlan
}

interface DindPlan {
  readonly image: string
}

/** How much of a runner's end is kept, and how long its removal waits for it. */
export interface EvidencePlan {
  readonly tailLines: number
  readonly tailBytes: number
  readonly deadlineMs: number
}
