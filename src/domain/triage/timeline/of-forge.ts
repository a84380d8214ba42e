import type { ForgeJobFact, ForgeRunnerFact, StepFact } from '../../snapshot/index.ts'
import {
  beganEntries,
  entryAt,
  overEntries,
  queuedEntries,
  type TimelineEntry,
} from '../../timeline/index.ts'
import type { TriageCase } from '../case.ts'
import { type Anchor, rowsAfter, type TimelineCaseRow, type UndatedFact } from './row.ts'

export function queuedRows(job: ForgeJobFact | null): readonly TimelineCaseRow[] {
  return rowsAfter(queuedEntries(job?.queuedAt ?? null))
}

/** The run of a job by the forge's clock; `anchors` are times before which its runner cannot have run it. */
export function jobRows(job: ForgeJobFact | null, anchors: readonly Anchor[]): readonly TimelineCaseRow[] {
  if (job === null) return []
  const { queuedAt, startedAt, completedAt, runnerName, conclusion, steps } = job
  const queued: Anchor = { at: queuedAt, what: 'it was queued' }
  const began: Anchor = { at: startedAt, what: 'it began' }
  return [
    ...rowsAfter(beganEntries(startedAt, runnerName), [queued, ...anchors]),
    ...rowsAfter((steps ?? []).flatMap(stepEntries), anchors),
    ...rowsAfter(overEntries(completedAt, conclusion), [began, queued, ...anchors]),
  ]
}

/** The forge's facts without a time. Annotations are among them: GitHub writes there that it lost a runner. */
export function forgeUndated({ job, forgeRunner }: TriageCase): readonly UndatedFact[] {
  return [
    ...(job === null ? [] : jobUndated(job)),
    ...(forgeRunner === null ? [] : [ofForge(runnerText(forgeRunner))]),
  ]
}

/** A step that was skipped has one time only. */
function stepEntries(step: StepFact): TimelineEntry[] {
  const { startedAt, completedAt, conclusion } = step
  return [
    ...(conclusion === 'skipped' ? [] : entryAt(startedAt, 'forge', `${stepName(step)} began.`)),
    ...entryAt(completedAt, 'forge', stepOverText(step)),
  ]
}

function jobUndated(job: ForgeJobFact): UndatedFact[] {
  const { status, conclusion, startedAt, completedAt, steps, annotations } = job
  const isTimed =
    status === 'completed' ? completedAt !== null : status !== 'in_progress' || startedAt !== null
  const state = `The job is ${status.replaceAll('_', ' ')}${conclusion === null ? '' : ` (${conclusion})`}.`
  return [
    ...(isTimed ? [] : [ofForge(state)]),
    ...(steps ?? []).flatMap(stepUndated),
    ...(annotations ?? []).map(({ level, title, message }) =>
      ofForge(`The forge notes (${level}): ${title === null ? '' : `${title}: `}${message}`),
    ),
  ]
}

/** Of a runner that was lost in the middle of a step, the forge never has the step's end. */
function stepUndated(step: StepFact): UndatedFact[] {
  if (step.completedAt !== null) return []
  if (step.conclusion !== null) return [ofForge(stepOverText(step))]
  return step.status === 'in_progress' ? [ofForge(`${stepName(step)} has no end at the forge.`)] : []
}

function stepName({ number, name }: StepFact): string {
  return `Step ${number} (${name})`
}

function stepOverText(step: StepFact): string {
  return `${stepName(step)} was over${step.conclusion === null ? '' : ` (${step.conclusion})`}.`
}

function runnerText({ isOnline, isBusy }: ForgeRunnerFact): string {
  return `The forge calls the runner ${isOnline ? 'online' : 'offline'} and ${isBusy ? 'busy' : 'not busy'}.`
}

function ofForge(text: string): UndatedFact {
  return { source: 'forge', text }
}
