import type { FactSource } from '../../snapshot/index.ts'
import { imageDigest, imageRepository } from '../../version.ts'
import type { Contract, ImageLabels } from '../contract/contract.ts'
import type { ImageInUse } from './images.ts'

/** Labels of an image in use, and how sure it is that they are those of what runs. */
export interface FoundLabels {
  readonly labels: ImageLabels
  readonly source: FactSource
  /** Where they were found, for people. */
  readonly place: string
  /** A digest names one content for ever; a tag can be moved, and an annotation is the word of the person who deployed it. */
  readonly isOfContent: boolean
}

/** Everything that is known of an image's labels: by its digests, by its tag, by annotations of its pods. */
export function labelsOf(
  { image, digests, annotated }: ImageInUse,
  { images, file }: Contract,
): readonly FoundLabels[] {
  const contents = new Set(digests.map((digest) => `${imageRepository(image)}@${digest}`))
  const declared = images.flatMap((labels) => {
    const digest = imageDigest(labels.image)
    const isOfContent = digest !== null && contents.has(`${imageRepository(labels.image)}@${digest}`)
    if (!isOfContent && labels.image !== image) return []
    return { labels, source: 'file' as const, place: `labels of ${labels.image} in ${file}`, isOfContent }
  })
  const ofPods = annotated.map((labels) => ({
    labels,
    source: 'cluster' as const,
    place: 'annotations of its pods',
    isOfContent: false,
  }))
  return [...declared, ...ofPods]
}
