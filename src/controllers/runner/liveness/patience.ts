import type { Provisioning, Trouble, TroubleKind } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'

/** A runner that does not ask for work yet. */
export interface Booting {
  readonly trouble: Trouble | null
  readonly isPlaced: boolean
  /** When it was first seen where it is now: waiting for a node, or on one. */
  readonly since: Instant
}

/**
 * How long each trouble may last before another runner is tried. A registry or a network may come back by itself; what
 * a container is made from does not.
 */
const patienceMs: Readonly<Partial<Record<TroubleKind, number>>> = {
  ImagePull: 2 * 60_000,
  ConfigError: 30_000,
  SandboxFailed: 2 * 60_000,
  NodeSilent: 2 * 60_000,
}

/** When a runner that has not asked for work until then is given up, by the words of its pool. */
export function givenUpAt({ trouble, isPlaced, since }: Booting, pool: Provisioning): Instant {
  const { startDeadlineMs, unschedulableDeadlineMs } = pool
  if (!isPlaced) return Math.min(since, trouble?.since ?? since) + unschedulableDeadlineMs
  const startBy = since + startDeadlineMs
  if (trouble === null) return startBy
  return Math.min(
    startBy,
    trouble.since + Math.min(startDeadlineMs, patienceMs[trouble.kind] ?? startDeadlineMs),
  )
}
