import { type ForgeJobFact, isWhole, type RunnerFact } from '../../../snapshot/index.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { scopeOf, scopesOf } from '../../set-scope.ts'
import { found, person, type Ruling, read } from '../found.ts'
import { forgeRunnerOf } from '../occupation.ts'
import { podOf, podStanding } from '../pod-end.ts'
import { lowered, queuedByLabel } from '../reach.ts'
import type { FleetView, SetView } from '../view.ts'

type Queued = ReadonlyMap<string, readonly ForgeJobFact[]>

/** Lanes with one slot, kept by the runner of a job that the forge has ended, while the next job waits. */
export function judgeHandoffs(fleet: FleetView): Ruling {
  const queued = queuedByLabel(fleet.snapshot)
  // With a runner unread, the lane's only one could be another.
  if (!isWhole(fleet.snapshot.cluster.runners)) return { findings: [] }
  const lanes = fleet.sets.filter(({ set }) => set.maxRunners === 1)
  return { findings: lanes.flatMap((view) => judgeLane(view, queued, fleet) ?? []) }
}

function judgeLane(view: SetView, queued: Queued, fleet: FleetView): Finding | null {
  const [runner, ...others] = view.holders
  if (runner === undefined || others.length > 0 || runner.job === null) return null
  const next = nextJob(view, queued)
  if (next === undefined || podStanding(runner, fleet) !== 'alive') return null
  if (!isReleased(runner, fleet)) return null
  const ended = (fleet.joins.jobsByRunner.get(runner.name) ?? []).find(({ status }) => status === 'completed')
  return handoff(view, runner, { next, ended: ended ?? null }, fleet)
}

function nextJob({ set }: SetView, queued: Queued): ForgeJobFact | undefined {
  const labels = lowered(set.runnerLabels)
  const scope = scopeOf(set.configUrl)
  return labels
    .flatMap((label) => queued.get(label) ?? [])
    .find(
      (job) =>
        lowered(job.labels).every((label) => labels.includes(label)) &&
        scopesOf(job.repository).includes(scope),
    )
}

/** Whether the forge has no job for it any more. */
function isReleased(runner: RunnerFact, fleet: FleetView): boolean {
  const { forge } = fleet.snapshot
  if (!isWhole(forge.runners) || !isWhole(forge.jobs)) return false
  const jobs = fleet.joins.jobsByRunner.get(runner.name) ?? []
  return forgeRunnerOf(runner, fleet)?.isBusy !== true && !jobs.some(({ status }) => status === 'in_progress')
}

interface Handoff {
  readonly next: ForgeJobFact
  readonly ended: ForgeJobFact | null
}

function handoff({ set }: SetView, runner: RunnerFact, { next, ended }: Handoff, fleet: FleetView): Finding {
  const { cluster, forge } = fleet.snapshot
  const atForge = forgeRunnerOf(runner, fleet)
  const worker = workerIn(runner, fleet)
  return found({
    class: 'cancelled-job-handoff',
    severity: 'critical',
    subject: subjectOf('runner', runner),
    confidence: ended === null ? 'likely' : 'proven',
    summary: `${runner.name} keeps the only slot of ${set.name} for a job that is over, while the next job waits.`,
    evidence: [
      evidenceOf(
        cluster.runners,
        `its object still has job request ${runner.job?.requestId ?? 'unknown'}; its pod runs`,
      ),
      evidenceOf(
        forge.runners,
        atForge === undefined ? 'the forge lists no such runner' : 'the forge calls it not busy',
      ),
      ended === null
        ? null
        : evidenceOf(
            forge.jobs,
            `its job ${ended.jobId} has ended: ${ended.conclusion ?? 'no conclusion'}`,
            ended.completedAt,
          ),
      evidenceOf(
        forge.jobs,
        `job ${next.jobId} of ${next.repository} is queued for this lane`,
        next.queuedAt,
      ),
      evidenceOf(
        cluster.nodeProbes,
        worker === 'unknown'
          ? 'whether a worker process runs in it is not known'
          : `a worker process in it: ${worker}`,
      ),
    ],
    next:
      worker === 'none'
        ? person(`Delete only the EphemeralRunner ${runner.name}, while job ${next.jobId} is still queued.`)
        : read(
            'Look for a Runner.Worker process in its pod: without one, and while the next job is queued, only this runner may go.',
          ),
  })
}

/** The agent of its node sees whether the runner executes a job. */
function workerIn(runner: RunnerFact, fleet: FleetView): 'seen' | 'none' | 'unknown' {
  const node = podOf(runner, fleet)?.node
  const probe = fleet.snapshot.cluster.nodeProbes.items.find((each) => each.node === node)
  if (probe?.workers == null) return 'unknown'
  return probe.workers.includes(runner.name) ? 'seen' : 'none'
}
