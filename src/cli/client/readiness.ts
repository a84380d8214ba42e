import { readinessSchema } from '../../api/index.ts'
import type { Context } from '../context.ts'
import type { Client } from './client.ts'

const answerWithinMs = 5_000

/** Why a server is not ready, as a part of a sentence; null where it is ready or gives no reason. */
export async function whyNotReady(
  { url, token }: Pick<Client, 'url' | 'token'>,
  { fetch }: Pick<Context, 'fetch'>,
): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/readyz`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(answerWithinMs),
    })
    const { ready, parts } = readinessSchema.parse(await answer.json())
    const missing = parts.filter((part) => !part.ready)
    return ready ? null : missing.map(({ name, why }) => (why ?? name).replace(/\.$/, '')).join('; ')
  } catch {
    return null // the caller asks again, and that request reports an unreachable server
  }
}
