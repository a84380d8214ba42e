import type { Clock } from '../../ports/clock.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Metrics } from '../../ports/metrics.ts'

type Call = keyof Forge
type Outcome = 'ok' | 'refused' | 'failed'

/** A forge whose calls are timed by what became of them. */
export function measuredForge(forge: Forge, metrics: Metrics, clock: Clock): Forge {
  const measured = <Name extends Call>(call: Name): Forge[Name] => {
    const work = forge[call] as (...given: unknown[]) => Promise<unknown>
    return (async (...given: unknown[]) => {
      const startedAt = clock.now()
      const observe = (outcome: Outcome) =>
        metrics.observe('holdfast_forge_request_seconds', { call, outcome }, (clock.now() - startedAt) / 1000)
      try {
        const result = await work(...given)
        observe(isRefused(result) ? 'refused' : 'ok')
        return result
      } catch (error) {
        observe('failed')
        throw error
      }
    }) as Forge[Name]
  }
  return {
    mint: measured('mint'),
    findRunner: measured('findRunner'),
    removeRunner: measured('removeRunner'),
    readJob: measured('readJob'),
    readJobDetail: measured('readJobDetail'),
    readRunJobs: measured('readRunJobs'),
    readOrigin: measured('readOrigin'),
    readRunHead: measured('readRunHead'),
    listJobs: measured('listJobs'),
    unreachable: measured('unreachable'),
    rerunJob: measured('rerunJob'),
    rerunFailedJobs: measured('rerunFailedJobs'),
    cancelRun: measured('cancelRun'),
    readLog: measured('readLog'),
    readLimit: measured('readLimit'),
  }
}

function isRefused(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'refused'
}
