import type { Leadership, Term } from '../../ports/leadership.ts'
import { underTerms } from './terms.ts'

/** Does something once in every own term, until the signal. */
export function onceEachTerm(
  leadership: Leadership,
  act: (term: Term, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const work = async (term: Term) => {
    const ending = AbortSignal.any([signal, term.signal])
    await act(term, ending)
    await ended(ending)
  }
  return underTerms(leadership, work, signal)
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
