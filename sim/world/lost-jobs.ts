import { runnerDeath } from '../../src/domain/death/index.ts'
import type { Job } from '../../src/domain/job/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { ForgeCore } from '../forge/core/index.ts'
import type { Violation } from '../invariants/index.ts'
import { allJobs, type State } from './ledger/index.ts'

type Truth = ReturnType<ForgeCore['jobs']>[number]

interface World {
  readonly rows: Readonly<State>
  readonly core: ForgeCore
  /** The time since which something was wrong with a runner: it was killed, froze, or was asked to stop. */
  readonly fell: ReadonlyMap<string, Instant>
}

/** Forges report whole seconds: within one, the order of two events is unknown. */
const forgeStepMs = 1_000

/** Whether a job ended here as it truly did: lost only where the world broke its runner before the forge's end. */
export function isTrueEnd(job: Job, truth: Truth, world: World): boolean {
  if (job.state !== 'lost') return job.conclusion === truth.conclusion
  const isKept = job.conclusion === null || job.conclusion === truth.conclusion
  return isKept && truth.conclusion !== 'success' && isBroken(truth, world)
}

/** Whether the forge lost contact with its runner, or something had happened to the runner by then. */
function isBroken(truth: Truth, world: World): boolean {
  const end = truth.ends.at(-1)
  if (end === undefined) return false
  if (end.cause === 'lost-communication') return true
  const fellAt = fallOf(truth, world)
  return fellAt !== null && fellAt < end.at + forgeStepMs
}

function fallOf(truth: Truth, { core, fell }: World): Instant | null {
  const runnerId = truth.starts.at(-1)?.runnerId
  const runner = core.truth().runners.find(({ id }) => id === runnerId)
  const owner = runner?.connects.find(({ accepted }) => accepted)?.owner
  return fell.get(owner ?? '') ?? null
}

/** At rest: a job that its runner reported as cancelled because it was asked to stop is lost, where that was observed. */
export function checkReclaimed(world: World): Violation | null {
  const { core, rows } = world
  for (const truth of core.jobs()) {
    const end = truth.ends.at(-1)
    const job = allJobs(rows).find((row) => row.forgeJobId === truth.id)
    if (job === undefined || end?.cause !== 'reported' || end.conclusion !== 'cancelled') continue
    const fellAt = fallOf(truth, world)
    if (isSeenToGo(job, world) && fellAt !== null && fellAt <= end.at && job.state !== 'lost') {
      return { invariant: 'end', what: `job ${job.id} is ${job.state}, and its runner was asked to stop` }
    }
  }
  return null
}

/** Whether the record of its runner says that; not where Holdfast had asked too, or its pool's limit had ended it by then. */
function isSeenToGo(job: Job, { rows }: World): boolean {
  const all = [...rows.attempts.values(), ...rows.archived.values()].flatMap((row) =>
    'attempts' in row ? row.attempts : [row],
  )
  const ran = all.find((attempt) => attempt.jobId === job.id && attempt.forgeRunnerName === job.executor)
  const sealed = [...rows.evidence.values()].find(
    ({ kind, runnerId }) => kind === 'runner-death' && runnerId === ran?.runnerId,
  )
  if (sealed === undefined || ran?.pastDeadline !== undefined) return false
  return sealed.record.class === 'terminated' && !runnerDeath(sealed.record, sealed.sealedAt).isAsked
}
