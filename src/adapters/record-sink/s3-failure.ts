import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'

/** The bound of an error's body that is read. */
const answerBytesMax = 16 * 1024
const codePattern = /<Code>([A-Za-z0-9]{1,64})<\/Code>/
/** Retryable statuses: the store is busy, or the clock of one side was late. */
const passing = new Set([408, 425, 429])

export interface Refusal {
  readonly code: 'E_SINK_FAILED' | 'E_SINK_REFUSED'
  readonly reason: string
}

/** Why the store refused the object; null where it did not. Its message may repeat our headers: only its code is shown. */
export async function whyRefused(answer: Response): Promise<Refusal | null> {
  const body = await begin(answer)
  if (answer.status === 200) return null
  const code = codePattern.exec(body)?.[1]
  const reason = `it answered ${answer.status}${code === undefined ? '' : ` ${code}`}`
  const isPassing = answer.status >= 500 || passing.has(answer.status)
  return { code: isPassing ? 'E_SINK_FAILED' : 'E_SINK_REFUSED', reason }
}

/** An error of ours with the innermost cause as its reason: `fetch failed` alone says nothing. */
export function toFailure(error: unknown, sink: string, deadline: AbortSignal): HoldfastError {
  if (error instanceof HoldfastError) return error
  if (deadline.aborted) return new HoldfastError('E_SINK_FAILED', { sink, reason: deadline.reason.message })
  let deepest: unknown = error
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause
  return new HoldfastError('E_SINK_FAILED', { sink, reason: reasonOf(deepest) }, error)
}

async function begin(answer: Response): Promise<string> {
  if (answer.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length >= answerBytesMax) break // leaving the loop ends the answer
  }
  return text
}
