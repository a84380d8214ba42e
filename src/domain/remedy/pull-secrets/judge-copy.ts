import { contentHash } from '../../audit/pull-secrets/pull-secret.ts'
import type { EventFact, PodFact } from '../../snapshot/index.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { CopyReading, SecretReading } from './facts.ts'

export const pullSecretType = 'kubernetes.io/dockerconfigjson'
export const pullSecretKey = '.dockerconfigjson'

/** Whether both copies have the same credentials, by their hashes. */
export function judgeEqual({ source, target }: CopyReading): Verdict {
  const [from, to] = [hashOf(source), hashOf(target)]
  const proof = `runners' copy ${short(from)}, controller's copy ${short(to)}`
  return { passed: from !== null && from === to, proof }
}

export function hashOf(reading: SecretReading | null): string | null {
  return reading === null ? null : contentHash(reading.secret)
}

/** A hash for people; the whole one stands in the plan. */
function short(hash: string | null): string {
  return hash === null ? 'none' : hash.slice(0, 12)
}

const pullReasons = new Set(['ErrImagePull', 'ImagePullBackOff'])

/** Whether the listener's pod waits for an image that it cannot pull. */
export function judgeWaiting(pod: PodFact | null): Verdict {
  if (pod === null) return fail('the listener has no pod')
  const waiting = pod.statuses.find(
    ({ state }) => state?.kind === 'waiting' && pullReasons.has(state.reason ?? ''),
  )
  if (waiting === undefined) return fail('its containers do not wait for a pull that fails')
  return pass(`${waiting.name} waits: ${waiting.state?.reason}`)
}

/** Whether the listener's image was pulled, and its container runs. */
export function judgeRunning(pod: PodFact | null): Verdict {
  if (pod === null) return fail('the listener has no pod')
  const isRunning = pod.statuses.length > 0 && pod.statuses.every(({ state }) => state?.kind === 'running')
  const states = pod.statuses.map(({ name, state }) => `${name} ${state?.reason ?? state?.kind ?? 'unknown'}`)
  return { passed: isRunning, proof: states.join(', ') || 'no container is reported yet' }
}

interface Pulls {
  readonly pods: readonly PodFact[]
  readonly events: readonly EventFact[]
}

/**
 * Whether a runner's pod pulled from the registry with this Secret since it was last written. A node that had the image
 * already proves nothing: the kubelet then says so in other words.
 */
export function judgePulled(source: SecretReading, registry: string, { pods, events }: Pulls): Verdict {
  const { secret, writtenAt } = source
  if (writtenAt === null) return fail('when it was last written is not known')
  const users = pods.filter(({ imagePullSecrets }) => imagePullSecrets.includes(secret.name))
  const pulled = events.find(
    ({ reason, message, subject, lastAt }) =>
      reason === 'Pulled' &&
      message.startsWith(`Successfully pulled image "${registry}/`) &&
      lastAt !== null &&
      lastAt >= writtenAt &&
      users.some(({ uid, name }) => name === subject.name && uid === subject.uid),
  )
  if (pulled !== undefined)
    return pass(
      `${pulled.subject.name} pulled from ${registry} at ${new Date(pulled.lastAt ?? 0).toISOString()}`,
    )
  return fail(
    `no pull from ${registry} by one of ${users.length} pods that name it, since it was written at ${new Date(writtenAt).toISOString()}`,
  )
}
