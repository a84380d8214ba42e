import type { DeathRecord } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { LifecycleDeps } from './deps.ts'

/**
 * A version that the forge refuses concerns every runner of the pool's image, so its pool says so, until one of its
 * runners has done a job.
 */
export function noteVersion(
  { pool }: Pick<Runner, 'pool'>,
  record: Pick<DeathRecord, 'class' | 'because' | 'job'>,
  { troubles, clock }: Pick<LifecycleDeps, 'troubles' | 'clock'>,
): void {
  if (record.class === 'runner-outdated') {
    const message = record.because.join(' ')
    troubles?.note(pool, 'end', { kind: 'RunnerOutdated', message, since: clock.now() })
  }
  if (record.class === 'clean' && record.job !== null) troubles?.note(pool, 'end', null)
}
