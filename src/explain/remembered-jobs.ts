import type { Instant } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge, ForgeScope } from '../ports/forge.ts'

/** A log has up to a mebibyte: so many are kept. */
const rememberedMax = 16
/** A job that is over changes no more. */
const wholeForMs = 10 * 60_000
/** A log may come a little later than the end of its job, a run may be run again, and a forge that failed may answer. */
const otherwiseForMs = 60_000

type Details = Pick<Forge, 'readJobDetail' | 'readLog' | 'readRunJobs'>
interface Remembered {
  readonly until: Instant
  readonly answer: Promise<unknown>
}

/** A forge whose answers about jobs that are over are kept for a while: a page refreshes every few seconds. */
export function rememberJobs(forge: Details, clock: Pick<Clock, 'now'>): Details {
  const kept = new Map<string, Remembered>()
  const remembered = <Name extends keyof Details>(name: Name): Details[Name] => {
    const ask = forge[name] as (scope: ForgeScope, id: number, signal: AbortSignal) => Promise<unknown>
    return (async (scope: ForgeScope, id: number, signal: AbortSignal) => {
      const key = `${name} ${scope.installation} ${scope.repository} ${id}`
      const found = kept.get(key)
      if (found !== undefined && clock.now() < found.until) return found.answer
      const keep = (answer: Promise<unknown>, forMs: number) => {
        kept.delete(key)
        kept.set(key, { until: clock.now() + forMs, answer })
        const [oldest] = kept.keys()
        if (kept.size > rememberedMax && oldest !== undefined) kept.delete(oldest)
      }
      const answer = ask(scope, id, signal)
      const outcome = await answer.then(
        (value) => (value === null || name === 'readRunJobs' ? otherwiseForMs : wholeForMs),
        () => otherwiseForMs,
      )
      // A reader who went away says nothing about the forge.
      if (!signal.aborted) keep(answer, outcome)
      return answer
    }) as Details[Name]
  }
  return {
    readJobDetail: remembered('readJobDetail'),
    readLog: remembered('readLog'),
    readRunJobs: remembered('readRunJobs'),
  }
}
