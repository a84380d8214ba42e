import { sessionAt } from '../../audit/credentials/refusals.ts'
import type { ListenerFact, PodFact } from '../../snapshot/index.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { SecretReading } from '../pull-secrets/facts.ts'

/** ARC reads Secrets through a cache: a listener that was made right after a write may have the value of before. */
const cacheLagMs = 10_000

/** A set's listener with its pod, and the newest lines of its log, read at one time. */
export interface SessionReading {
  /** Null: the set has none. */
  readonly listener: ListenerFact | null
  readonly pod: PodFact | null
  readonly lines: readonly string[]
}

/** Whether the listener has a session at the forge now. */
export function judgeSession({ listener, pod, lines }: SessionReading): Verdict {
  if (listener === null) return fail('the set has no listener')
  if (pod === null || pod.deletedAt !== null) return fail('the listener has no pod')
  if (startOf(pod) === null) return fail('the listener does not run')
  const { at, line } = sessionAt(lines)
  return at === -1
    ? fail('its log shows no session after the last refusal')
    : pass(`log: ${line.slice(0, 200)}`)
}

/** Whether a session was opened with exactly this Secret, in the state in which it was last written. */
export function judgeProvenBySession(source: SecretReading | null, session: SessionReading): Verdict {
  if (source === null) return fail('there is no such Secret any more')
  const { secret, writtenAt } = source
  const { listener, pod } = session
  if (writtenAt === null) return fail('when it was last written is not known')
  if (listener !== null && listener.credentialSecret !== secret.name)
    return fail(`the listener uses ${listener.credentialSecret ?? 'no Secret'}, not ${secret.name}`)
  const open = judgeSession(session)
  const createdAt = pod?.createdAt ?? null
  if (!open.passed || createdAt === null) return { ...open, passed: false }
  const times = `pod made ${iso(createdAt)}, Secret written ${iso(writtenAt)}`
  if (createdAt < writtenAt + cacheLagMs)
    return fail(`the listener is not younger than the Secret, and may have the value of before: ${times}`)
  return pass(`${listener?.name}: ${times}; ${open.proof}`)
}

function startOf({ statuses }: PodFact): number | null {
  const states = statuses.map(({ state }) => state)
  const isRunning = states.length > 0 && states.every((state) => state?.kind === 'running')
  return isRunning ? (states[0]?.startedAt ?? null) : null
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
