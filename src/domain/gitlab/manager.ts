import type { PodFact } from '../snapshot/index.ts'
import type { Instant } from '../time.ts'

/** Its helper, in every job's pod, is another image. */
const managerImage = /(?:^|\/)gitlab-runner(?:[:@]|$)/

/** Whether one of these images is GitLab Runner's manager, which takes jobs and makes their pods. */
export function isManager(images: readonly string[]): boolean {
  return images.some((image) => managerImage.test(image))
}

/** When the newest process of a manager began; null where that is not known. */
export function startOf({ statuses }: Pick<PodFact, 'statuses'>): Instant | null {
  const starts = statuses.flatMap(({ state }) =>
    state?.kind === 'running' && state.startedAt !== null ? [state.startedAt] : [],
  )
  return starts.length === 0 ? null : Math.max(...starts)
}
