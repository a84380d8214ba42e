import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type { Metrics } from '../ports/metrics.ts'

/** A forge whose calls are timed by what became of them. */
export function measuredForge(forge: Forge, metrics: Metrics, clock: Clock): Forge {
  async function measured<T>(call: keyof Forge, work: Promise<T>): Promise<T> {
    const startedAt = clock.now()
    const tell = (outcome: 'ok' | 'refused' | 'failed') =>
      metrics.observe('holdfast_forge_request_seconds', { call, outcome }, (clock.now() - startedAt) / 1000)
    try {
      const result = await work
      tell(isRefused(result) ? 'refused' : 'ok')
      return result
    } catch (error) {
      tell('failed')
      throw error
    }
  }
  return {
    mint: (request, signal) => measured('mint', forge.mint(request, signal)),
    findRunner: (scope, name, signal) => measured('findRunner', forge.findRunner(scope, name, signal)),
    removeRunner: (scope, id, signal) => measured('removeRunner', forge.removeRunner(scope, id, signal)),
    readJob: (scope, id, signal) => measured('readJob', forge.readJob(scope, id, signal)),
    listJobs: (installation, since, signal) =>
      measured('listJobs', forge.listJobs(installation, since, signal)),
  }
}

function isRefused(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'refused'
}
