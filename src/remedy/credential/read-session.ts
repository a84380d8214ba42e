import type { SessionReading, SetReading } from '../../domain/remedy/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { RemedyCredentials } from '../../ports/remedy-credentials.ts'

/** The listener of a set with the log of its container, where it runs. */
export async function readSession(
  { listeners, listenerPods }: SetReading,
  { readLog }: Pick<RemedyCredentials, 'readLog'>,
  signal: AbortSignal,
): Promise<SessionReading> {
  const listener = listeners.find(({ deletedAt }) => deletedAt === null) ?? null
  const pod = listenerPods.find((each) => listener !== null && keyOf(each) === keyOf(listener)) ?? null
  const running = pod?.statuses.find(({ state }) => state?.kind === 'running')
  if (pod === null || running === undefined) return { listener, pod, lines: [] }
  const { namespace, name } = pod
  return { listener, pod, lines: await readLog({ namespace, name, container: running.name }, signal) }
}
