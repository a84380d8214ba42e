import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { PoolFacts } from './conditions.ts'
import type { StatusDeps } from './deps.ts'

type PoolEvent = Pick<FleetEvent, 'type' | 'reason' | 'message'>

/** Records Events for what changed on pools since the last pass. */
export interface News {
  publish(all: readonly PoolFacts[]): void
}

export function createNews({ pools, clock }: Pick<StatusDeps, 'pools' | 'clock'>): News {
  let before = new Map<string, PoolFacts>()
  return {
    publish(all) {
      for (const facts of all) {
        const { name } = facts.pool
        const last = before.get(name)
        if (last === undefined) continue // after a restart nothing is recorded twice
        for (const event of changesOf(last, facts)) {
          pools.recordEvent({ about: { kind: 'pool', name }, ...event, at: clock.now() })
        }
      }
      before = new Map(all.map((facts) => [facts.pool.name, facts]))
    },
  }
}

function changesOf(before: PoolFacts, after: PoolFacts): readonly PoolEvent[] {
  return [
    ...spec(before, after),
    ...startProblems(before, after),
    ...rolls(before, after),
    ...sizes(before, after),
  ]
}

function spec(before: PoolFacts, { pool }: PoolFacts): PoolEvent[] {
  if (pool.isLeaving && !before.pool.isLeaving) {
    return [
      { type: 'Normal', reason: 'Draining', message: 'It was deleted: its idle runners leave, jobs finish.' },
    ]
  }
  if (pool.declared.kind !== 'wrong' || pool.generation === before.pool.generation) return []
  return [{ type: 'Warning', reason: 'InvalidSpec', message: pool.declared.problems.join('; ') }]
}

function startProblems(before: PoolFacts, { problem }: PoolFacts): PoolEvent[] {
  if (problem?.kind === before.problem?.kind) return []
  if (problem !== null) return [{ type: 'Warning', reason: problem.kind, message: problem.message }]
  return [{ type: 'Normal', reason: 'Recovered', message: `${before.problem?.kind} is over.` }]
}

function rolls(before: PoolFacts, { outdated }: PoolFacts): PoolEvent[] {
  if (outdated > 0 && before.outdated === 0) {
    const message = `The pool was changed: ${outdated} runners are replaced, busy ones after their job.`
    return [{ type: 'Normal', reason: 'RollBegun', message }]
  }
  if (outdated > 0 || before.outdated === 0) return []
  return [
    { type: 'Normal', reason: 'RollFinished', message: 'Every runner is made from what the pool says now.' },
  ]
}

function sizes(before: PoolFacts, after: PoolFacts): PoolEvent[] {
  if (runnersOf(after) > 0 || runnersOf(before) === 0) return []
  return [{ type: 'Normal', reason: 'ScaledToZero', message: 'No job waits: it has no runner now.' }]
}

function runnersOf({ counts }: PoolFacts): number {
  return counts.idle + counts.busy + counts.starting + counts.leaving
}
