import type { DeathRecord } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { LifecycleDeps } from './deps.ts'

/**
 * A version that the forge refuses concerns every runner of the pool's image, so it is reported on the pool until one of
 * its runners has done a job.
 */
export function noteVersion(
  { pool }: Pick<Runner, 'pool'>,
  record: Pick<DeathRecord, 'class' | 'because' | 'job'>,
  { startProblems, clock }: Pick<LifecycleDeps, 'startProblems' | 'clock'>,
): void {
  if (record.class === 'runner-outdated') {
    const message = record.because.join(' ')
    startProblems?.note(pool, 'end', { kind: 'RunnerOutdated', message, since: clock.now() })
  }
  if (record.class === 'clean' && record.job !== null) startProblems?.note(pool, 'end', null)
}
