import { HoldfastError } from '../../domain/errors/index.ts'
import {
  type ApplyRecord,
  type CommandWord,
  commandSummary,
  isUnfinished,
  resumptionOf,
} from '../../domain/remedy/managed-apply/index.ts'
import { type ApplyReport, advance } from './advance.ts'
import type { ApplyDeps } from './deps.ts'
import { createApplyRun } from './run.ts'

/** How an apply is resumed. */
export interface ResumeOrder {
  /** Null: the only one that is unfinished. */
  readonly id: string | null
  readonly word: CommandWord
  /** The command, which no record has; null: there is none to run. */
  readonly argv: readonly string[] | null
}

/** Goes on where an apply was interrupted. Throws E_APPLY_ASKS where only a person can say how the command ended. */
export async function resumeApply(
  { id, word, argv }: ResumeOrder,
  deps: ApplyDeps,
  signal: AbortSignal,
): Promise<ApplyReport> {
  const record = await openRecord(id, deps)
  if (resumptionOf(record, word) === 'nothing') return { record, gates: [] }
  await refuseRunning(record, deps)
  if (resumptionOf(record, word) === 'ask')
    throw new HoldfastError('E_APPLY_ASKS', { id: record.id, command: record.command.summary })
  const run = createApplyRun(record, deps)
  const isCommandNext = mayRunCommand(record) && word !== 'done'
  if (isCommandNext && argv === null)
    throw new HoldfastError('E_APPLY_COMMAND', { id: record.id, command: record.command.summary })
  if (record.state === 'apply' && record.command.end === null) {
    const end = word === 'done' ? ({ kind: 'reported' } as const) : null
    const outcome =
      word === 'done' ? 'the operator says that the command has ended well' : 'the operator has it run again'
    await run.note({ outcome })
    await run.keep({ command: { ...record.command, process: null, end } })
  } else await run.note({ outcome: 'resumed' })
  if (argv !== null && isCommandNext)
    await run.keep({ command: { ...run.record.command, summary: commandSummary(argv) } })
  return advance({ run, deps, argv, signal })
}

/** Gives back what is owed, and goes no further. */
export async function abortApply(id: string | null, deps: ApplyDeps): Promise<ApplyReport> {
  const record = await openRecord(id, deps)
  if (!isUnfinished(record)) return { record, gates: [] }
  await refuseRunning(record, deps)
  const run = createApplyRun(record, deps)
  if (record.state !== 'roll-back')
    await run.move('stop', { outcome: `aborted by the operator in ${record.state}` })
  // An abort is not given up halfway: it gives caps back, within its bound.
  return advance({ run, deps, argv: null, signal: new AbortController().signal })
}

/** Whether the command is still to be run. */
function mayRunCommand({ state, command }: ApplyRecord): boolean {
  const before: readonly string[] = ['quiesce-scope', 'reap-idle', 'cap-freeze', 'apply']
  return before.includes(state) && command.end === null
}

async function openRecord(id: string | null, { records, site }: ApplyDeps): Promise<ApplyRecord> {
  const all = await records.list()
  const matching = id === null ? all.filter(isUnfinished) : all.filter((each) => each.id === id)
  const [record, ...others] = matching
  if (record === undefined || others.length > 0)
    throw new HoldfastError('E_APPLY_UNKNOWN', {
      id: id ?? '',
      unfinished: all.filter(isUnfinished).map((each) => each.id),
    })
  if (record.site !== site)
    throw new HoldfastError('E_APPLY_SITE', { id: record.id, site: record.site, connected: site })
  return record
}

/** A command that outlived the process that began it may still change the sets. */
async function refuseRunning({ id, command }: ApplyRecord, { commands }: ApplyDeps): Promise<void> {
  if (command.end !== null || command.process === null) return
  if (await commands.isRunning(command.process))
    throw new HoldfastError('E_APPLY_RUNNING', { id, command: command.summary, pid: command.process.pid })
}
