import type { Instant } from '../model.ts'

/** Where the forge says that its things can be read. */
export interface Links {
  readonly api: string
  readonly web: string
  /** How far the forge's clock is ahead: all times that it shows are. */
  readonly aheadMs?: () => number
}

export type Json = Readonly<Record<string, unknown>>

/** Whole seconds, as GitHub writes its times. */
export function isoTime(at: Instant, { aheadMs }: Links): string {
  return `${new Date(at + (aheadMs?.() ?? 0)).toISOString().slice(0, 19)}Z`
}

/** The same number for the same name, for ids that nothing stores (FNV-1a). */
export function idOfName(name: string): number {
  let hash = 0x811c9dc5
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 1) + 1
}

/** The commit that every run of the forge is about. */
export function headSha(runId: number): string {
  return runId.toString(16).padStart(40, '0')
}
