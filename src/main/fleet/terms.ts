import { HoldfastError } from '../../domain/errors/index.ts'
import type { Leadership, Term } from '../../ports/leadership.ts'

/** Why nothing may be written now. */
export function notLeading(leadership: Leadership): HoldfastError {
  const reason = `${leadership.holder() ?? 'nobody'} leads`
  return new HoldfastError('E_CLUSTER_NOT_LEADER', { holder: 'This process', reason })
}

/** Does the work once in every own term, until the signal. The work ends with its term's signal. */
export async function underTerms(
  leadership: Leadership,
  work: (term: Term) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const term = await nextTerm(leadership, signal)
    if (term === null) return
    await work(term)
  }
}

/** The running term, or the next one; null where the signal came first. */
function nextTerm(leadership: Leadership, signal: AbortSignal): Promise<Term | null> {
  return new Promise((resolve) => {
    const finish = (term: Term | null) => {
      unlisten()
      signal.removeEventListener('abort', give)
      resolve(term)
    }
    const give = () => finish(null)
    const unlisten = leadership.onChange((term) => {
      if (term !== null && !term.signal.aborted) finish(term)
    })
    signal.addEventListener('abort', give)
    const running = leadership.term()
    if (signal.aborted) give()
    else if (running !== null && !running.signal.aborted) finish(running)
  })
}
