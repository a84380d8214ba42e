import { isRecord } from '../../../domain/is-record.ts'
import type { Instant } from '../../../domain/time.ts'
import type { PoolCondition, PoolStatus } from '../../../ports/declared-pools.ts'

/** The longest message of a condition. */
const messageCharsMax = 4_096

interface WrittenCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly observedGeneration: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

export type WrittenStatus = Omit<PoolStatus, 'conditions'> & {
  readonly conditions: readonly WrittenCondition[]
}

/**
 * A status as it stands in the object. A condition that does not turn keeps the time of its last turn: as it stands
 * there, or, where somebody turned it by hand, as we wrote it.
 */
export function writtenStatus(
  { conditions, ...counts }: PoolStatus,
  remembered: WrittenStatus | undefined,
  standing: Readonly<Record<string, unknown>>,
  now: Instant,
): WrittenStatus {
  const before = [...conditionsOf(standing), ...(remembered?.conditions ?? [])]
  return {
    ...counts,
    conditions: conditions.map((condition) => written(condition, counts.observedGeneration, before, now)),
  }
}

/** Whether the object already says all of it; fields that others add are theirs. */
export function isWritten(wanted: WrittenStatus, standing: Readonly<Record<string, unknown>>): boolean {
  const { conditions, ...counts } = wanted
  const there = conditionsOf(standing)
  return (
    Object.entries(counts).every(([field, value]) => standing[field] === value) &&
    conditions.every((condition) => there.some((other) => isSame(condition, other)))
  )
}

function written(
  { type, isTrue, reason, message }: PoolCondition,
  observedGeneration: number,
  before: readonly Partial<WrittenCondition>[],
  now: Instant,
): WrittenCondition {
  const status = isTrue ? 'True' : 'False'
  const last = before.find(
    (other) => other.type === type && other.status === status && isTime(other.lastTransitionTime),
  )
  return {
    type,
    status,
    observedGeneration,
    reason,
    message: message.slice(0, messageCharsMax),
    lastTransitionTime: last?.lastTransitionTime ?? timeText(now),
  }
}

function conditionsOf(status: Readonly<Record<string, unknown>>): readonly Partial<WrittenCondition>[] {
  const { conditions } = status
  return Array.isArray(conditions) ? conditions.filter(isRecord) : []
}

function isSame(a: WrittenCondition, b: Partial<WrittenCondition>): boolean {
  return Object.entries(a).every(([field, value]) => b[field as keyof WrittenCondition] === value)
}

function isTime(text: unknown): text is string {
  return typeof text === 'string' && !Number.isNaN(Date.parse(text))
}

/** As Kubernetes writes times. */
export function timeText(at: Instant): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}
