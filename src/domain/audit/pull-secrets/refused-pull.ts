import { registryOf } from '../../image.ts'
import type { ContainerSpecFact, EventFact, PodFact } from '../../snapshot/index.ts'
import type { SnapshotJoins } from '../joins.ts'

/** An image that a registry refuses to give to a pod. */
export interface RefusedPull {
  readonly pod: PodFact
  readonly image: string
  readonly registry: string
  /** The refusal in the registry's own words; null where nothing that was read says why the pull fails. */
  readonly refusal: string | null
}

const pullReasons = new Set(['ErrImagePull', 'ImagePullBackOff'])
const refused = /\b40[13]\b|unauthorized|forbidden|authentication required|access denied|denied:/i
/** Any other answer of a registry: the credential is not the cause. */
const otherwise = /\b404\b|not found|manifest unknown|no such host|timeout|refused|TLS|x509|429/i

/** Pulls of a pod that fail, and are refused as far as its states and events say why. */
export function refusedPulls(pod: PodFact, joins: SnapshotJoins): readonly RefusedPull[] {
  return pod.statuses.flatMap(({ name, state }) => {
    if (state?.kind !== 'waiting' || !pullReasons.has(state.reason ?? '')) return []
    const container = pod.containers.find((each) => each.name === name)
    if (container === undefined) return []
    const texts = [state.message ?? '', ...eventTexts(pod, container, joins)]
    const refusal = texts.find((text) => refused.test(text)) ?? null
    if (refusal === null && texts.some((text) => otherwise.test(text))) return []
    return [{ pod, image: container.image, registry: registryOf(container.image), refusal }]
  })
}

function eventTexts(pod: PodFact, { image }: ContainerSpecFact, joins: SnapshotJoins): string[] {
  const events = joins.eventsBySubject.get(`Pod/${pod.namespace}/${pod.name}`) ?? []
  return events.filter((event) => isAbout(event, pod, image)).map(({ message }) => message)
}

/** A pod that was made again under its name has another uid. */
function isAbout({ subject, message }: EventFact, pod: PodFact, image: string): boolean {
  return (subject.uid === null || subject.uid === pod.uid) && message.includes(image)
}
