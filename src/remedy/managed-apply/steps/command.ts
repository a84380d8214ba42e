import { HoldfastError } from '../../../domain/errors/index.ts'
import { commandEndText } from '../../../domain/remedy/managed-apply/index.ts'
import type { Step } from '../step.ts'

/** APPLY: the user's own command, once. The record said `apply` before it began, and says how it ended. */
export const runCommand: Step = async ({ run, deps, argv, signal }) => {
  const { command, limits } = run.record
  if (command.end !== null)
    return { event: 'pass', outcome: `${command.summary} ${commandEndText(command.end)}` }
  if (argv === null) throw new HoldfastError('E_BUG', { what: 'an apply has no command to run' })
  await run.note({ outcome: `${command.summary} begins, for at most ${limits.commandMaxMs / 1_000} s` })
  const end = await deps.commands.run(
    {
      argv,
      maxMs: limits.commandMaxMs,
      onStarted: (process) => run.keep({ command: { ...run.record.command, process } }),
    },
    signal,
  )
  await run.keep({ command: { ...run.record.command, end } })
  return { event: 'pass', outcome: `${command.summary} ${commandEndText(end)}` }
}
