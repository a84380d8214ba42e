import type { PodManifest, PodOrder } from './pod.ts'
import { preparePods } from './prepare-pods.ts'

/** The pod of one runner. Its plan must be without problems (`problemsOf`); who makes many prepares them once. */
export function buildPod({ runner, avoidNodes, unwantedNodes, ...ingredients }: PodOrder): PodManifest {
  return preparePods(ingredients).build(runner, avoidNodes, unwantedNodes)
}
