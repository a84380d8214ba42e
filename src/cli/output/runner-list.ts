import { type ApiRunner, ageText, type RunnerList } from '../../api/index.ts'
import { isLive } from '../../domain/runner/index.ts'
import type { Context } from '../context.ts'
import { type Column, tableText } from './table.ts'
import { unreadableLines } from './unreadable.ts'

/** Runners as a table; ended ones with the class of their death. */
export function runnerListText(
  { runners, unreadable, at, live, leftOut }: RunnerList,
  context: Context,
): string {
  const { colors } = context
  const columns: Column<ApiRunner>[] = [
    { head: 'RUNNER', text: ({ name }) => name, isFlexible: true },
    { head: 'POOL', text: ({ pool }) => pool, isFlexible: true },
    {
      head: 'STATE',
      text: ({ state }) => state,
      paint: (runner) => (isLive(runner) ? colors.cyan : colors.dim),
    },
    { head: 'JOB', text: ({ jobId }) => (jobId === null ? '-' : String(jobId)) },
    { head: 'SINCE', text: (runner) => ageText(runner.endedAt ?? runner.fencedAt ?? runner.createdAt, at) },
    { head: 'REASON', text: ({ reason }) => reason ?? '', isFlexible: true },
  ]
  const strange = unreadable.map(({ name, pool, why }) => ({ name: `runner ${name} of ${pool}`, why }))
  const more =
    leftOut === 0
      ? []
      : ['', colors.dim(`${live} live; ${leftOut} more than listed, with --limit or by --pool and --state`)]
  return [tableText(columns, runners, context), ...more, ...unreadableLines(strange, context)].join('\n')
}
