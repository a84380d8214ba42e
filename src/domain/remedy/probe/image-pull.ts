import type { PodFact } from '../../snapshot/index.ts'
import type { ProbeVerdict } from './verdict.ts'

const pullReasons = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName'])
const refused = /\b40[13]\b|unauthorized|forbidden|authentication required|access denied|denied:/i
const absent = /\b404\b|not found|manifest unknown|name unknown/i

/** The kubelet's word about the pull of a probe: it asks the registry every time. Null: it has not said it yet. */
export function judgeImagePull(pod: PodFact): ProbeVerdict | null {
  const failed = judgePull(pod)
  if (failed !== null) return failed
  const [status] = pod.statuses
  const isPast = status?.state?.kind === 'terminated' || status?.state?.kind === 'running'
  if (!isPast || status.imageId === null || pod.reason === 'DeadlineExceeded') return null
  return {
    outcome: 'pulled',
    isGood: true,
    confidence: 'proven',
    class: null,
    summary: `Node ${pod.node} got the image with the lane's pull secret.`,
    evidence: [`${pod.node}: ${status.imageId}`],
    mustNotConclude: [
      'Layers that the node had before were not fetched again: the registry was asked for the manifest, and gave it.',
      'Another node has another network and other layers: this says nothing about it.',
    ],
  }
}

/** A pull that failed; null: none has. */
export function judgePull(pod: PodFact): ProbeVerdict | null {
  const state = pod.statuses[0]?.state
  if (state?.kind !== 'waiting' || !pullReasons.has(state.reason ?? '')) return null
  const words = state.message ?? ''
  const outcome = refused.test(words) ? 'refused' : absent.test(words) ? 'not-found' : 'unknown'
  // The first failure may be a network that blinked; the kubelet tries again and backs off.
  if (outcome === 'unknown' && state.reason === 'ErrImagePull') return null
  return {
    outcome,
    isGood: false,
    confidence: outcome === 'unknown' ? 'unknown' : 'proven',
    class: outcome === 'refused' ? refusalClass(pod) : null,
    summary: {
      refused: `The registry refuses the image to node ${pod.node} with the lane's pull secret.`,
      'not-found': `The registry has no such image, or hides it from this credential (node ${pod.node}).`,
      unknown: `Node ${pod.node} cannot pull the image, and its kubelet names neither a refusal nor a missing image.`,
    }[outcome],
    evidence: [`${pod.node}: ${state.reason}: ${words}`],
    mustNotConclude: [
      'This is about the registry: neither labels nor capacity are the cause.',
      'Runners that start elsewhere prove nothing: their node may have had the image already.',
    ],
  }
}

/** The pod shows the pull secrets that it really has, also those of its service account. */
function refusalClass({ imagePullSecrets }: PodFact): string {
  return imagePullSecrets.length === 0 ? 'runner-pull-secret-missing' : 'credential-invalid'
}
