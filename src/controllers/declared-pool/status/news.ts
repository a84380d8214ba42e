import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { PoolFacts } from './conditions.ts'
import type { StatusDeps } from './deps.ts'

type Told = Pick<FleetEvent, 'type' | 'reason' | 'message'>

/** Tells as events what became of pools since the last look. */
export interface News {
  tell(all: readonly PoolFacts[]): void
}

export function createNews({ pools, clock }: Pick<StatusDeps, 'pools' | 'clock'>): News {
  let before = new Map<string, PoolFacts>()
  return {
    tell(all) {
      for (const facts of all) {
        const { name } = facts.pool
        const last = before.get(name)
        if (last === undefined) continue // after a restart nothing is told twice
        for (const told of changesOf(last, facts)) {
          pools.tell({ about: { kind: 'pool', name }, ...told, at: clock.now() })
        }
      }
      before = new Map(all.map((facts) => [facts.pool.name, facts]))
    },
  }
}

function changesOf(before: PoolFacts, after: PoolFacts): readonly Told[] {
  return [
    ...spec(before, after),
    ...troubles(before, after),
    ...rolls(before, after),
    ...sizes(before, after),
  ]
}

function spec(before: PoolFacts, { pool }: PoolFacts): Told[] {
  if (pool.isLeaving && !before.pool.isLeaving) {
    return [
      { type: 'Normal', reason: 'Draining', message: 'It was deleted: its idle runners leave, jobs finish.' },
    ]
  }
  if (pool.declared.kind !== 'wrong' || pool.generation === before.pool.generation) return []
  return [{ type: 'Warning', reason: 'InvalidSpec', message: pool.declared.problems.join('; ') }]
}

function troubles(before: PoolFacts, { trouble }: PoolFacts): Told[] {
  if (trouble?.kind === before.trouble?.kind) return []
  if (trouble !== null) return [{ type: 'Warning', reason: trouble.kind, message: trouble.message }]
  return [{ type: 'Normal', reason: 'Recovered', message: `${before.trouble?.kind} is over.` }]
}

function rolls(before: PoolFacts, { outdated }: PoolFacts): Told[] {
  if (outdated > 0 && before.outdated === 0) {
    const message = `The pool was changed: ${outdated} runners are replaced, busy ones after their job.`
    return [{ type: 'Normal', reason: 'RollBegun', message }]
  }
  if (outdated > 0 || before.outdated === 0) return []
  return [
    { type: 'Normal', reason: 'RollFinished', message: 'Every runner is made from what the pool says now.' },
  ]
}

function sizes(before: PoolFacts, after: PoolFacts): Told[] {
  if (runnersOf(after) > 0 || runnersOf(before) === 0) return []
  return [{ type: 'Normal', reason: 'ScaledToZero', message: 'No job waits: it has no runner now.' }]
}

function runnersOf({ counts }: PoolFacts): number {
  return counts.idle + counts.busy + counts.starting + counts.leaving
}
