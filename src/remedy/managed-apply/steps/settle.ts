import { counted } from '../../../domain/format.ts'
import { reap, type SetReading } from '../../../domain/remedy/index.ts'
import { isSettled, staleRunners } from '../../../domain/remedy/managed-apply/index.ts'
import { keyOf } from '../../../domain/snapshot/index.ts'
import { applyPlan } from '../../apply.ts'
import { attempted } from '../../attempted.ts'
import { planReap } from '../../reap/plan-reap.ts'
import { reapTreatment } from '../../reap/reap-treatment.ts'
import { applyBounds } from '../bounds.ts'
import type { Step, StepEnd, Stepping } from '../step.ts'

/** SETTLE_REAP_STALE: idle runners of the old generation go by the gates of `reap`; busy ones are waited for, never removed. */
export const settle: Step = async (stepping) => {
  const { run, deps, signal } = stepping
  const until = deps.clock.now() + run.record.limits.settleMaxMs
  let last = ''
  for (;;) {
    const looked = await attempted(() => readSets(stepping))
    const open = 'value' in looked ? looked.value.filter((reading) => !isSettled(reading)) : []
    if ('value' in looked && open.length === 0)
      return { event: 'pass', outcome: 'one generation, and all runners are of it' }
    signal.throwIfAborted()
    const left = 'failure' in looked ? looked.failure : open.map(openText).join('; ')
    if (deps.clock.now() >= until) return { event: 'escalate', outcome: `not settled in time: ${left}` }
    if (left !== last) deps.onProgress(`settle-reap-stale: waiting: ${left}`)
    last = left
    const stopped = await reapStale(open, stepping)
    if (stopped !== null) return stopped
    await deps.clock.sleep(applyBounds.settleEveryMs, signal)
  }
}

async function readSets({ run, deps, signal }: Stepping): Promise<readonly SetReading[]> {
  const readings: SetReading[] = []
  for (const set of run.record.sets) readings.push(await deps.cluster.readSet(set, signal))
  return readings
}

/** Null: go on waiting. */
async function reapStale(
  open: readonly SetReading[],
  { run, deps, signal }: Stepping,
): Promise<StepEnd | null> {
  const sets = open
    .filter((reading) =>
      staleRunners(reading).some(({ job, deletedAt }) => job === null && deletedAt === null),
    )
    .map(({ place: { namespace, name } }) => ({ namespace, name }))
  if (sets.length === 0) return null
  // Runners that are younger than this apply are of its own making.
  const minAgeMs = deps.clock.now() - run.record.beganAt
  const scope = { sets, isStaleGeneration: true, minAgeMs }
  const { state, plan, hash } = await planReap(reapOnly, scope, deps, signal)
  if (state !== 'planned') return null
  await deps.keepPlan(hash, plan)
  const treatment = reapTreatment(reapOnly, deps)
  const texts = { ...treatment.texts, proven: 'the apply proves the set' }
  const report = await applyPlan({ ...treatment, texts }, plan, deps, signal)
  if (report.state !== 'escalated') return null
  return { event: 'escalate', outcome: `reap is escalated: ${report.outcome}` }
}

/** Without its proofs at the end: the set is not whole before the last busy runner is done, which this step waits for. */
const reapOnly = { ...reap, proofs: [] }

function openText(reading: SetReading): string {
  const { place, generations } = reading
  const stale = staleRunners(reading)
  const busy = stale.filter(({ job }) => job !== null).length
  return `${keyOf(place)} has ${counted(generations.length, 'generation')}, ${counted(stale.length, 'runner')} of an old one, ${busy} of them busy`
}
