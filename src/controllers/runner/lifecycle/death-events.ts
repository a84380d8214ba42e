import { askedToLeaveRule, type DeathClass, type DeathRecord } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { LifecycleDeps } from './deps.ts'

/** Reasons under the names that Kubernetes uses; others have the name of their class. */
const reasons: Partial<Record<DeathClass, string>> = { 'container-oom': 'OOMKilled' }

/** Records an event for every unexpected end, on the runner and on its pool. */
export function recordDeathEvents(
  runner: Runner,
  record: DeathRecord,
  { recordEvent, clock }: LifecycleDeps,
): void {
  if (recordEvent === undefined || isExpected(record)) return
  const event = {
    type: 'Warning',
    reason: reasons[record.class] ?? camelCase(record.class),
    message: `Runner ${runner.name} ended: ${record.because.join(' ')}`,
    at: clock.now(),
  } as const
  recordEvent({ ...event, about: { kind: 'runner', name: runner.name } })
  recordEvent({ ...event, about: { kind: 'pool', name: runner.pool } })
}

/** Whether the runner did its job, or was asked to go by us. */
function isExpected({ class: deathClass, rule, ending }: DeathRecord): boolean {
  if (deathClass === 'clean' || rule === askedToLeaveRule) return true
  return deathClass === 'terminated' && ending !== null && ending.stopRequestedBy !== null
}

function camelCase(word: string): string {
  return word.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
