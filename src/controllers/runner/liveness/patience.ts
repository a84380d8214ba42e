import type { Provisioning, StartProblem, StartProblemKind } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'

/** A runner that does not poll yet. */
export interface Booting {
  readonly problem: StartProblem | null
  readonly isPlaced: boolean
  /** When it was first seen in its present place: waiting for a node, or on one. */
  readonly since: Instant
}

/**
 * How long each problem may last before another runner is tried. A registry or a network may recover by itself; a wrong
 * container specification does not.
 */
const patienceMs: Readonly<Partial<Record<StartProblemKind, number>>> = {
  ImagePull: 2 * 60_000,
  ConfigError: 30_000,
  SandboxFailed: 2 * 60_000,
  NodeSilent: 2 * 60_000,
}

/** When a runner that has not polled is given up, by the deadlines of its pool. */
export function givenUpAt({ problem, isPlaced, since }: Booting, pool: Provisioning): Instant {
  const { startDeadlineMs, unschedulableDeadlineMs } = pool
  if (!isPlaced) return Math.min(since, problem?.since ?? since) + unschedulableDeadlineMs
  const startBy = since + startDeadlineMs
  if (problem === null) return startBy
  return Math.min(
    startBy,
    problem.since + Math.min(startDeadlineMs, patienceMs[problem.kind] ?? startDeadlineMs),
  )
}
