import { exitCodes } from '../../domain/errors/index.ts'
import type { RemedyState } from '../../domain/remedy/index.ts'

/** For the help of every command that plans and applies a remedy. */
export const remedyExitHelp = `
Exit codes:
  0  nothing to do, a plan, or done and proven
  ${exitCodes.usage}  the command was not understood
  ${exitCodes.refused}  blocked by a gate: nothing was done
  ${exitCodes.badEnd}  escalated: something was done and its result is not proven
  ${exitCodes.unfinished}  aborted: the fleet is not the plan's any more, and the rest was left`

export function remedyExitCode(state: RemedyState): number {
  return codes[state] ?? 0
}

const codes: Partial<Record<RemedyState, number>> = {
  blocked: exitCodes.refused,
  aborted: exitCodes.unfinished,
  escalated: exitCodes.badEnd,
}
