import type { PodFact, Snapshot } from '../../snapshot/index.ts'
import { imageDigest } from '../../version.ts'
import type { ImageLabels } from '../contract/contract.ts'
import { keyOf } from '../joins.ts'
import { annotatedLabels } from './annotated-labels.ts'

/** One image by the name under which it is used. */
export interface ImageInUse {
  readonly image: string
  readonly users: readonly string[]
  /** Contents that really run under that name, as far as kubelets report them; a tag may have meant several. */
  readonly digests: readonly string[]
  /** Labels that were copied into annotations of its pods. */
  readonly annotated: readonly ImageLabels[]
}

interface Use {
  readonly image: string
  readonly user: string
  readonly digest?: string | null
  readonly labels?: ImageLabels | null
}

/** Every image that something live names, with its users. */
export function imagesInUse({ cluster }: Snapshot): readonly ImageInUse[] {
  const uses: Use[] = [
    ...cluster.deployments.items.flatMap((each) =>
      Object.values(each.images).map((image) => ({ image, user: `Deployment ${keyOf(each)}` })),
    ),
    ...cluster.listeners.items.map((each) => ({ image: each.image, user: `listener ${keyOf(each)}` })),
    ...cluster.scaleSets.items.flatMap((each) =>
      each.template.containers.map(({ image }) => ({ image, user: `scale set ${keyOf(each)}` })),
    ),
    ...cluster.pods.items
      .filter(({ phase }) => phase === 'Running' || phase === 'Pending')
      .flatMap(usesOfPod),
  ]
  return [...Map.groupBy(uses, ({ image }) => image)].map(([image, group]) => ({
    image,
    users: [...new Set(group.map(({ user }) => user))],
    digests: [
      ...new Set([imageDigest(image), ...group.map(({ digest }) => digest)].flatMap((each) => each ?? [])),
    ],
    annotated: group.flatMap(({ labels }) => labels ?? []),
  }))
}

function usesOfPod(pod: PodFact): Use[] {
  const idByContainer = new Map(pod.statuses.map(({ name, imageId }) => [name, imageId]))
  const [only, ...others] = pod.containers
  // With several containers nobody knows which one's image an annotation is about.
  const labels = only !== undefined && others.length === 0 ? annotatedLabels(pod.annotations) : null
  return pod.containers.map(({ name, image }) => ({
    image,
    user: `pod ${keyOf(pod)}`,
    digest: imageDigest(idByContainer.get(name) ?? ''),
    labels,
  }))
}
