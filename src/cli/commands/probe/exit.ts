import { exitCodes } from '../../../domain/errors/index.ts'
import type { ProbeReport } from '../../deps.ts'
import { remedyExitCode } from '../../remedy/exit.ts'

const found = 1

export const probeExitHelp = `
Exit codes:
  0  a plan, nothing to do, or the answer is good
  ${found}  the answer is bad, such as unreachable or refused
  ${exitCodes.usage}  the command was not understood
  ${exitCodes.refused}  blocked by a gate: nothing was done
  ${exitCodes.badEnd}  escalated: its result is not proven, or its pod is left
  ${exitCodes.unfinished}  aborted: the lane is not the plan's any more, or the pod was refused
  ${exitCodes.noVerdict}  the answer is unknown`

export function probeExitCode({ state, verdict, isPodGone }: ProbeReport): number {
  if (!isPodGone) return exitCodes.badEnd
  if (state !== 'done' || verdict === null) return remedyExitCode(state)
  if (verdict.isGood) return 0
  return verdict.outcome === 'unknown' ? exitCodes.noVerdict : found
}
