import type { ScaleSetFact } from '../../snapshot/index.ts'
import { compareVersions, imageRepository, imageTag } from '../../version.ts'

/** The image of the container in which the runner program runs. */
export function runnerImage({ template }: ScaleSetFact): string | null {
  const containers = template.containers.filter(({ isInit }) => !isInit)
  return (containers.find(({ name }) => name === 'runner') ?? containers[0])?.image ?? null
}

/** The runner's version by its image's tag; null for images with numbers of their own, and for tags like `latest`. */
export function versionOfImage(image: string): string | null {
  const tag = imageTag(image)
  const isRunner = imageRepository(image).split('/').at(-1) === 'actions-runner'
  return isRunner && tag !== null && compareVersions(tag, '2.0.0') !== null ? tag : null
}
