import { runnerImage } from '../../audit/runtime/runner-image.ts'
import { imageDigest } from '../../version.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { SetReading } from '../reading.ts'

/** Whether the set is one that ARC took down for good; why it is none, and what to do then. */
export function judgeStays({ set, generations, runners }: SetReading): Verdict {
  if (set === null) return fail('there is no such AutoscalingRunnerSet any more')
  if (set.deletedAt !== null) return fail('it is being deleted')
  if (set.phase === 'Outdated') return pass('its phase is Outdated, which ARC leaves only by a new spec')
  if ([...generations, ...runners].some(({ phase }) => phase === 'Outdated'))
    return fail(
      `its phase is ${set.phase ?? 'unknown'}: ARC makes its runners again by itself, with the same image; put a newer runner image into its source and apply it`,
    )
  return set.phase === null
    ? fail(
        'this release of ARC has no such state: runners that end with exit code 7 are failures like any other; put a newer runner image into its source and apply it',
      )
    : fail(`its phase is ${set.phase}`)
}

/** Whether ARC has finished: a runner that is left may have a job, and ARC waits for it. */
export function judgeTakenDown({ generations, runners, listeners }: SetReading): Verdict {
  const left = [...listeners, ...generations, ...runners].map(({ name }) => name)
  return left.length === 0
    ? pass('no listener, no generation and no runner of it are left')
    : fail(`ARC still takes it down: ${left.join(', ')}; wait for the end of its jobs`)
}

/**
 * Whether a newer runner stands behind the image of the set. ARC leaves the state by itself where the source names another
 * image, so only a tag that moved is left: no API of the cluster shows that, and the operator's word stands in the plan.
 */
export function judgeRenewed({ set, place }: SetReading, renewed: readonly string[]): Verdict {
  const image = set === null ? null : runnerImage(set)
  if (image === null) return fail('its runner image is not known')
  const inSource = `put a newer runner image into the source of ${place.name} and apply it: ARC leaves the state by itself`
  if (imageDigest(image) !== null) return fail(`${image} is the refused one for ever: ${inSource}`)
  return renewed.includes(image)
    ? pass(`the operator says that a newer runner stands behind ${image} now`)
    : fail(
        `the forge refused the runner of ${image}: ${inSource}; where a newer one stands behind the same tag now, say so: --image-renewed ${image}`,
      )
}
