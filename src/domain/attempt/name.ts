import type { Handle } from './attempt.ts'

/** Forges refuse longer names. */
export const runnerNameLengthMax = 64
const suffixLength = 8

/** The name under which an attempt's runner is minted: fresh for each mint, because a used name is refused for ever. */
export function mintName(runnerName: string, handle: Handle): string {
  const suffix = handle.replaceAll('-', '').slice(0, suffixLength)
  return `${runnerName.slice(0, runnerNameLengthMax - suffixLength - 1)}-${suffix}`
}

/** A runner's own name, which its pool and eight digits make up, under the name of one of its registrations. */
const registered = /^(.+-[0-9a-f]{8})-[0-9a-f]{8}$/

/**
 * The name by which people know a runner, whatever the forge calls its registration. A name that is not one of ours
 * stays as it is.
 */
export function runnerNameOf(forgeName: string): string {
  return registered.exec(forgeName)?.[1] ?? forgeName
}
