import type { Handle } from './attempt.ts'

/** Forges refuse longer names. */
export const runnerNameLengthMax = 64
const suffixLength = 8

/** The name under which an attempt's runner is minted: fresh for each mint, because a used name is refused for ever. */
export function mintName(runnerName: string, handle: Handle): string {
  const suffix = handle.replaceAll('-', '').slice(0, suffixLength)
  return `${runnerName.slice(0, runnerNameLengthMax - suffixLength - 1)}-${suffix}`
}
