import type { PodManifest, PodOrder } from '../pod.ts'
import { preparePods } from '../prepare-pods.ts'

/** The pod of one runner, of a plan without problems (`problemsOf`). */
export function buildPod({ runner, avoidNodes, unwantedNodes, ...ingredients }: PodOrder): PodManifest {
  return preparePods(ingredients).build(runner, avoidNodes, unwantedNodes)
}
