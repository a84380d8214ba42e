import { readinessSchema } from '../../api/index.ts'
import type { Context } from '../context.ts'
import type { Client } from './client.ts'

const answerWithinMs = 5_000

/** Why a server is not ready, in one line; null where it is, or does not say. */
export async function whyNotReady(
  { url, token }: Client,
  { fetch }: Pick<Context, 'fetch'>,
): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/readyz`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(answerWithinMs),
    })
    const { ready, parts } = readinessSchema.parse(await answer.json())
    const missing = parts.filter((part) => !part.ready)
    return ready ? null : missing.map(({ name, why }) => why ?? name).join('; ')
  } catch {
    return null // whoever waits asks again, and hears of a server that is away from that question
  }
}
