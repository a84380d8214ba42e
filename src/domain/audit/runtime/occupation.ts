import { type ForgeRunnerFact, isWhole, type RunnerFact } from '../../snapshot/index.ts'
import type { FindingEvidence } from '../finding.ts'
import { evidenceOf } from '../judging.ts'
import type { FleetView, SetView } from './view.ts'

/**
 * Whether a runner has a job. `free`: the forge lists it, not busy, and no job in progress names it.
 * `jobless`: only its own object says so, written by a listener that runs. `unknown`: nobody reliable says anything.
 */
export type Occupation = 'busy' | 'free' | 'jobless' | 'unknown'

/** One source that says busy is enough; without a listener, an empty job field proves nothing. */
export function occupationOf(runner: RunnerFact, { listeners }: SetView, fleet: FleetView): Occupation {
  const { forge } = fleet.snapshot
  const atForge = forgeRunnerOf(runner, fleet)
  if (runner.job !== null || atForge?.isBusy === true) return 'busy'
  if (jobsInProgress(runner, fleet)) return 'busy'
  if (atForge !== undefined && isWhole(forge.runners) && isWhole(forge.jobs)) return 'free'
  return listeners.some(({ kind }) => kind === 'running') ? 'jobless' : 'unknown'
}

export function forgeRunnerOf(runner: RunnerFact, { joins }: FleetView): ForgeRunnerFact | undefined {
  return joins.forgeRunnerByName.get(runner.name)
}

function jobsInProgress(runner: RunnerFact, { joins }: FleetView): boolean {
  return (joins.jobsByRunner.get(runner.name) ?? []).some(({ status }) => status === 'in_progress')
}

/** Runners whose own object names no job. Whether they are idle is another question. */
export function withoutJob(runners: readonly RunnerFact[]): readonly RunnerFact[] {
  return runners.filter(({ job }) => job === null)
}

/** Runners that no source calls busy: the only ones that may ever be named for removal. */
export function notBusy(
  runners: readonly RunnerFact[],
  view: SetView,
  fleet: FleetView,
): readonly RunnerFact[] {
  return runners.filter((runner) => occupationOf(runner, view, fleet) !== 'busy')
}

/** Runners of which the forge itself says that they are free: without that, nothing may be deleted. */
export function freeOf(
  runners: readonly RunnerFact[],
  view: SetView,
  fleet: FleetView,
): readonly RunnerFact[] {
  return runners.filter((runner) => occupationOf(runner, view, fleet) === 'free')
}

/** The forge's word about these runners, or that it is missing. */
export function forgeEvidence(runners: readonly RunnerFact[], fleet: FleetView): FindingEvidence {
  const known = runners.flatMap((runner) => forgeRunnerOf(runner, fleet) ?? [])
  const busy = known.filter(({ isBusy }) => isBusy).length
  const missing = runners.length - known.length
  const text =
    known.length === 0
      ? 'the forge’s word about these runners is missing'
      : `forge: ${known.length - busy} not busy, ${busy} busy${missing === 0 ? '' : `, ${missing} not listed`}`
  return evidenceOf(fleet.snapshot.forge.runners, text)
}
