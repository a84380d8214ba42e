import { durationText } from '../../format.ts'
import type { RunnerFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { SetReading } from '../reading.ts'
import type { HandoffScope } from './facts.ts'

/** The runners of a set that hold a slot. */
export function holdersOf({ runners }: SetReading): readonly RunnerFact[] {
  return runners.filter(({ deletedAt, phase }) => deletedAt === null && phase !== 'Succeeded')
}

/** Why a runner is none that keeps its lane; null: it may be one, by the cluster's own facts. */
export function reasonToStay(
  { deletedAt, phase, createdAt }: RunnerFact,
  { minWaitMs }: Pick<HandoffScope, 'minWaitMs'>,
  now: Instant,
): string | null {
  if (deletedAt !== null) return 'it is being deleted already'
  if (phase !== 'Running') return `its phase is ${phase ?? 'unknown'}: it is another case`
  const ageMs = createdAt === null ? 0 : now - createdAt
  return ageMs >= minWaitMs ? null : `${durationText(ageMs)} old: it may be about to take the job`
}

/** Whether a set serves a job: every label that the job asks for is one of the set's. */
export function serves(setLabels: readonly string[], jobLabels: readonly string[]): boolean {
  const own = new Set(setLabels.map((label) => label.toLowerCase()))
  return jobLabels.length > 0 && jobLabels.every((label) => own.has(label.toLowerCase()))
}
