import {
  type HandoffFacts,
  type HandoffScope,
  holdersOf,
  type Remedy,
  reasonToStay,
  type SetReading,
  serves,
} from '../../domain/remedy/index.ts'
import type { ForgeJobFact } from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { type Choice, runnerCandidates } from '../runner/runner-candidates.ts'
import type { RunnerSources } from '../runner/runner-treatment.ts'
import { handoffTreatment } from './handoff-treatment.ts'

/** Judges the lanes, and plans which runner makes room for the job that waits. */
export async function planHandoff(
  remedy: Remedy<HandoffFacts>,
  scope: HandoffScope,
  deps: RemedyDeps & RunnerSources,
  signal: AbortSignal,
): Promise<Planned<HandoffFacts>> {
  const candidates = await runnerCandidates(
    scope.sets,
    async (reading, forgeScope) => {
      const holder = holderOf(reading)
      if (holder === null || forgeScope === null) return stay(reading)
      const labels = reading.set?.runnerLabels ?? []
      const { repository } = scope
      const queued = await deps.forge.readQueuedJobs({ scope: forgeScope, repository }, signal)
      const fitting = queued.filter(
        (job) => isWithin(forgeScope, job.repository) && serves(labels, job.labels),
      )
      return choose(reading, holder, fitting, scope, deps.clock.now())
    },
    deps,
    signal,
  )
  return planRemedy(handoffTreatment(remedy, deps), { ...candidates, scope }, deps, signal)
}

type Chosen = Choice<{ readonly next: HandoffFacts['plan']['objects'][number]['next'] }>

/** Whether the runners of an organisation, or of a repository, serve a repository. */
function isWithin(forgeScope: string, repository: string): boolean {
  const [own, served] = [forgeScope.toLowerCase(), repository.toLowerCase()]
  return own.includes('/') ? own === served : served.startsWith(`${own}/`)
}

/** The one runner in the one slot of a lane; null: the set is no such lane, and the forge need not be asked. */
function holderOf(reading: SetReading) {
  const [holder, ...others] = holdersOf(reading)
  return reading.set?.maxRunners === 1 && others.length === 0 ? (holder ?? null) : null
}

function stay({ set, runners }: SetReading): readonly Chosen[] {
  const why = `its set has room for ${set?.maxRunners ?? 'any number of'} runners, or several in its slots: no lane of one`
  return runners.map((runner) => ({ runner, added: null, why }))
}

function choose(
  { runners }: SetReading,
  holder: SetReading['runners'][number],
  queued: readonly ForgeJobFact[],
  scope: HandoffScope,
  now: Instant,
): readonly Chosen[] {
  // The one that waits longest.
  const [next] = [...queued].sort((a, b) => (a.queuedAt ?? now) - (b.queuedAt ?? now))
  return runners.map((runner): Chosen => {
    const reason =
      runner.uid === holder.uid ? reasonToStay(runner, scope, now) : 'it holds no slot of its set'
    if (reason !== null) return { runner, added: null, why: reason }
    if (next === undefined) return { runner, added: null, why: 'no job waits for its lane' }
    const { repository, jobId } = next
    const why = `it keeps the only slot of its lane, for which job ${jobId} of ${repository} waits`
    return { runner, added: { next: { repository, jobId } }, why }
  })
}
