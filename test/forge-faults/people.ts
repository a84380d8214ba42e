import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../sim/world/random.ts'
import type { FaultyForge } from './forge/start.ts'
import type { PlannedRun } from './workload.ts'

export interface Submitted {
  readonly run_id: number
  readonly job_ids: readonly number[]
}

/** Runs that somebody deletes once they are over, as scheduled clean-ups do. */
const deletedShare = 0.08
const rejectedShare = 0.2
const decidedWithinMs = 8_000
const deletedWithinMs = 15_000
const triesMax = 20

/** Acts of people on a run after it was submitted: they approve or reject waiting jobs, and delete some runs. */
export function afterwards(
  forge: FaultyForge,
  { jobs }: PlannedRun,
  runId: number,
  chance: Random,
): readonly Promise<void>[] {
  const isGuarded = jobs.some(({ environment }) => environment !== undefined)
  const decided = isGuarded ? [decide(forge, runId, chance)] : []
  return chance.chance(deletedShare) ? [...decided, remove(forge, runId, chance)] : decided
}

async function decide(forge: FaultyForge, runId: number, chance: Random): Promise<void> {
  const approved = !chance.chance(rejectedShare)
  await pause(chance.between(0, decidedWithinMs))
  // Somebody may have cancelled it meanwhile: then nothing waits any more.
  await forge.order('POST', `runs/${runId}/review`, { approved }).catch(() => {})
}

/** Deletes a run, with retries: the forge refuses while the run is under way. */
async function remove(forge: FaultyForge, runId: number, chance: Random): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    await pause(chance.between(0, deletedWithinMs))
    const isGone = await forge.order('DELETE', `runs/${runId}`).then(
      () => true,
      () => false,
    )
    if (isGone) return
  }
}
