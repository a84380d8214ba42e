import { isLive, type Runner } from '../runner/index.ts'
import type { Instant } from '../time.ts'
import type { HostedRunning } from './view.ts'

/** A runner on the host that the ledger does not count on: its row ended, or it never had one. */
export interface Stray {
  readonly hosted: HostedRunning
  readonly runner: Pick<Runner, 'state'> | null
  /** Since when it has been seen so. */
  readonly straySince: Instant
}

export type StrayDecision =
  /** It is none: the ledger counts on it. */
  | { readonly kind: 'known' }
  /** Nothing is done now, for this reason. Where that lasts (`isShown`), it is shown to a person, who can see more. */
  | {
      readonly kind: 'leave'
      readonly why: string
      readonly againInMs: number | null
      readonly isShown: boolean
    }
  | { readonly kind: 'stop'; readonly rule: 'orphaned-stamped-pod'; readonly reason: string }
  /** Somebody wants it gone, and its place is silent: its end will never be seen. */
  | { readonly kind: 'abandon'; readonly rule: 'orphaned-stamped-pod'; readonly reason: string }

/**
 * A row may be on its way, and a pod may be so new that its containers are not listed yet
 * (docs/incidents/live-runner-removed.md).
 */
export const strayGraceMs = 5 * 60_000
/** A job of an hour is no rarity; what nobody counts on for longer may hang for ever. */
export const strayShownAfterMs = 60 * 60_000
/** How long the end of a stray on a silent node is waited for. */
const silentGraceMs = 5 * 60_000

/**
 * Deleting a pod because it has no row kills the job of a live runner. A stray is stopped only
 * where its program provably never started; what started ends by itself, and its end is put on record then.
 */
export function decideStray(
  { hosted, runner, straySince }: Stray,
  now: Instant,
  graceMs = strayGraceMs,
): StrayDecision {
  if (runner !== null && isLive(runner)) return { kind: 'known' }
  const shownInMs = straySince + strayShownAfterMs - now
  if (hosted.leavingSince !== null) {
    if (hosted.silentSince === null) return leave('it is leaving', shownInMs)
    const abandonAt = Math.max(hosted.leavingSince, hosted.silentSince, straySince) + silentGraceMs
    if (now < abandonAt) return { ...leave('its node may come back', shownInMs), againInMs: abandonAt - now }
    return { kind: 'abandon', rule: 'orphaned-stamped-pod', reason: 'it was to go, and its node is silent' }
  }
  if (hosted.program === 'started') return leave('its program started', shownInMs)
  if (hosted.program === 'unknown') return leave('whether it runs a job cannot be seen', shownInMs)
  const stopAt = straySince + graceMs
  if (now < stopAt) return { ...leave('it is too new to judge', shownInMs), againInMs: stopAt - now }
  return { kind: 'stop', rule: 'orphaned-stamped-pod', reason: 'the ledger does not count on it' }
}

function leave(why: string, shownInMs: number) {
  const isShown = shownInMs <= 0
  return { kind: 'leave', why, againInMs: isShown ? null : shownInMs, isShown } as const
}
