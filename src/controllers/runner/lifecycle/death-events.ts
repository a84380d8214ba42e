import { type DeathClass, type DeathRecord, TOLD_TO_LEAVE } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { LifecycleDeps } from './deps.ts'

/** How people who know clusters call it; the others are called by the name of their class. */
const reasons: Partial<Record<DeathClass, string>> = { 'container-oom': 'OOMKilled' }

/** Tells of every end that a person would ask about, on the runner and on its pool. */
export function tellDeath(runner: Runner, record: DeathRecord, { tell, clock }: LifecycleDeps): void {
  if (tell === undefined || isExpected(record)) return
  const event = {
    type: 'Warning',
    reason: reasons[record.class] ?? camelCase(record.class),
    message: `Runner ${runner.name} ended: ${record.because.join(' ')}`,
    at: clock.now(),
  } as const
  tell({ ...event, about: { kind: 'runner', name: runner.name } })
  tell({ ...event, about: { kind: 'pool', name: runner.pool } })
}

/** It did its job, or we asked it to go. */
function isExpected({ class: deathClass, rule, ending }: DeathRecord): boolean {
  if (deathClass === 'clean' || rule === TOLD_TO_LEAVE) return true
  return deathClass === 'terminated' && ending !== null && ending.stopRequestedBy !== null
}

function camelCase(word: string): string {
  return word.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
