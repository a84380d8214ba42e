import { durationText } from '../../domain/format.ts'
import {
  type ApplyRecord,
  type ApplyState,
  capsText,
  commandEndText,
  isUnfinished,
  owedSets,
  type ScopedSet,
} from '../../domain/remedy/managed-apply/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { Context } from '../context.ts'
import type { ManagedApplyReport } from '../deps.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

const pad = 2

/** How an apply ended, or where it stands. */
export function applyText({ record, gates, head }: ManagedApplyReport, context: Context): string {
  const failed = gates.filter(({ passed }) => !passed)
  return [
    ...recordLines(record, context),
    ...failed.flatMap(({ gate, proof }) => block(`failed ${gate}: ${proof}`, context)),
    `Trail: ${head.count} rows, head ${head.count}:${head.hash}`,
  ].join('\n')
}

/** Applies of a data folder, unfinished ones first. */
export function applyListText(records: readonly ApplyRecord[], context: Context): string {
  if (records.length === 0) return 'No apply was begun here.'
  return records.flatMap((record) => recordLines(record, context)).join('\n')
}

function recordLines(record: ApplyRecord, context: Context): readonly string[] {
  const { id, state, outcome, command, sets, beganAt, changedAt } = record
  const ended = command.end === null ? '' : `: ${commandEndText(command.end)}`
  return [
    `${titles[state] ?? `Unfinished, in ${state}`}: apply ${id}, begun ${new Date(beganAt).toISOString()}, ${durationText(changedAt - beganAt)}`,
    ...block(`${command.summary}${ended}`, context),
    ...sets.flatMap((set) => block(setText(set), context)),
    ...block(outcome, context),
    ...(isUnfinished(record) ? todoLines(record) : []),
  ]
}

const titles: Partial<Record<ApplyState, string>> = {
  done: 'Done and proven',
  refused: 'Refused, nothing was changed',
  failed: 'The command failed, the caps are back',
  aborted: 'Aborted, the caps are back',
  escalated: 'Escalated, the caps are back, a person must look',
}

function setText(set: ScopedSet): string {
  const { recorded, restored, freeze } = set
  const now =
    freeze === 'none'
      ? 'not frozen'
      : restored === null
        ? 'FROZEN, its caps are owed'
        : `caps now ${capsText(restored)}`
  return `${keyOf(set)}: ${capsText(recorded)} before; ${now}`
}

function todoLines(record: ApplyRecord): readonly string[] {
  const { id, state, command } = record
  const isAsking = state === 'apply' && command.end === null
  const back = owedSets(record).length > 0 ? 'gives the caps back' : 'ends it'
  return [
    ...(isAsking
      ? [
          '  Nobody noted how the command ended. Look, then one of:',
          `    holdfast apply resume ${id} --command-done`,
          `    holdfast apply resume ${id} --rerun-command -- <the command>`,
        ]
      : ['  To go on, with the command where it is still to run:', `    holdfast apply resume ${id}`]),
    `    holdfast apply abort ${id}    ${back}`,
  ]
}

function block(text: string, { width }: Context): readonly string[] {
  return wrapped(printable(text), ' '.repeat(pad), pad, width)
}
