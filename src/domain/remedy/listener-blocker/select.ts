import type { RunnerFact } from '../../snapshot/index.ts'
import type { SetReading } from '../reading.ts'

/** Why a runner of a set is none that keeps its listener away; null: it is one, by the cluster's own facts. */
export function reasonNotBlocking({ set, listeners }: SetReading, runner: RunnerFact): string | null {
  if (set === null || set.deletedAt !== null) return 'its set is gone or is being deleted'
  if (listeners.length > 0) return 'its set has a listener'
  if (runner.deletedAt !== null) return 'it is being deleted already'
  if (runner.phase !== 'Running') return `its phase is ${runner.phase ?? 'unknown'}: another case`
  return runner.failures.length === 0 ? null : 'its pods failed: ARC makes them again by itself'
}

/**
 * The runners without a job, which stay for ever; ARC makes the listener again when none is left. Also one that is being deleted:
 * the forge holds it while a job runs that nobody wrote into its object.
 */
export function blockersOf({ runners }: SetReading): readonly RunnerFact[] {
  return runners.filter(({ job, phase }) => job === null && phase !== 'Succeeded')
}
