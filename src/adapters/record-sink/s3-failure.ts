import { HoldfastError } from '../../domain/errors/index.ts'

/** What a store says about an error is short; more is not read. */
const ANSWER_BYTES_MAX = 16 * 1024
const CODE = /<Code>([A-Za-z0-9]{1,64})<\/Code>/
/** The store is busy, or the clock of one side was late: it may go well later. */
const PASSING = new Set([408, 425, 429])

export interface Refusal {
  readonly code: 'E_SINK_FAILED' | 'E_SINK_REFUSED'
  readonly reason: string
}

/** Why the store did not take the object; null where it did. Its own words may repeat our headers: only its code is shown. */
export async function whyRefused(answer: Response): Promise<Refusal | null> {
  const body = await begin(answer)
  if (answer.status === 200) return null
  const said = CODE.exec(body)?.[1]
  const reason = `it answered ${answer.status}${said === undefined ? '' : ` ${said}`}`
  const isPassing = answer.status >= 500 || PASSING.has(answer.status)
  return { code: isPassing ? 'E_SINK_FAILED' : 'E_SINK_REFUSED', reason }
}

/** An error of ours, with the reason that lies deepest: `fetch failed` alone says nothing. */
export function toFailure(error: unknown, sink: string, deadline: AbortSignal): HoldfastError {
  if (error instanceof HoldfastError) return error
  if (deadline.aborted) return new HoldfastError('E_SINK_FAILED', { sink, reason: deadline.reason.message })
  let deepest: unknown = error
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause
  const reason = deepest instanceof Error ? deepest.message || deepest.name : String(deepest)
  return new HoldfastError('E_SINK_FAILED', { sink, reason }, error)
}

async function begin(answer: Response): Promise<string> {
  if (answer.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length >= ANSWER_BYTES_MAX) break // leaving the loop ends the answer
  }
  return text
}
