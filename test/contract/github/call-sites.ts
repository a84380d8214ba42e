import { readdirSync, readFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector'
import { join } from 'node:path'

/** Where the adapter turns to the forge: one request, all pages of a list, or the network itself. */
const site = /(?<!function )\b(?:call|readAll|readArray|fetch)\)?\(/g

/**
 * Counts, from now on, which calls in a folder's sources were reached: by V8's own coverage, so that a call
 * that somebody adds is known without being listed.
 */
export function countCallSites(folder: string) {
  const session = new Session()
  session.connect()
  const post = <T>(method: string, params: object = {}): T => {
    let answer: T | undefined
    // On the same thread the answer comes before `post` returns.
    session.post(method, params, (error: Error | null, result?: object) => {
      if (error !== null) throw new Error(`${method}: ${JSON.stringify(error)}`)
      answer = result as T
    })
    return answer as T
  }
  post('Debugger.enable')
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    /** Every call in the sources, and whether it was reached. */
    sites(): { readonly where: string; readonly isReached: boolean }[] {
      const { result } = post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage')
      return result
        .filter(({ url }) => url.includes(folder) && !url.includes('.test.'))
        .flatMap(({ url, scriptId, functions }) => {
          const { scriptSource } = post<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId })
          return [...scriptSource.matchAll(site)].map(({ index }) => ({
            where: `${url.split(folder)[1]}: ${scriptSource.slice(index).split('\n')[0]}`,
            isReached: countAt(functions, index) > 0,
          }))
        })
    },
    close() {
      session.disconnect()
    },
  }
}

/** How many calls stand in the sources of a folder, loaded or not. */
export function callSitesWritten(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return sources.flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(site)]).length
}

/** The innermost block around a place says how often it ran. */
function countAt(functions: readonly Profiler.FunctionCoverage[], offset: number): number {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
    .sort((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))
  return around[0]?.count ?? 0
}
