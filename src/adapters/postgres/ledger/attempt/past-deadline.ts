import type { CancelAnswer, Handle, PastDeadline } from '../../../../domain/attempt/index.ts'
import type { TimelineEntry } from '../../../../domain/job-event/index.ts'
import type { Cause, Fenced } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { appendTimeline, isUuid } from '../plan/index.ts'
import { json } from '../rows/index.ts'

interface Held {
  readonly id: number
  readonly job_id: number
  readonly past_deadline: PastDeadline | null
  readonly now: number
}

/** Its job ran for longer than it may: noted once, and later with the forge's answer to the request to cancel. */
export function notePastDeadline(
  database: Database,
  handle: Handle,
  { limitMs, ranMs, cancel }: Omit<PastDeadline, 'at'>,
  cause: Cause,
): Promise<Fenced> {
  return database.transaction(async (tx) => {
    const held = await lockRunning(tx, handle)
    if (held === null) return { kind: 'lost' }
    const before = held.past_deadline
    const note = { ...(before ?? { at: held.now, limitMs, ranMs }), cancel: before?.cancel ?? cancel }
    if (before !== null && before.cancel === note.cancel) return { kind: 'ok' }
    await tx.query(sql`update attempts set past_deadline = ${json(note)}::jsonb where id = ${held.id}`)
    await appendTimeline(tx, timelineEntriesOf(held, { limitMs, ranMs, cancel: note.cancel }), cause)
    return { kind: 'ok' }
  })
}

async function lockRunning(tx: Db, handle: Handle): Promise<Held | null> {
  if (!isUuid(handle)) return null
  const { rows } = await tx.query<Held>(sql`
    select id, job_id, past_deadline, floor(extract(epoch from now()) * 1000)::double precision as now
      from attempts
     where handle = ${handle}::uuid and state = 'running'
       for no key update`)
  return rows[0] ?? null
}

function timelineEntriesOf(
  { id, job_id: jobId, past_deadline: before }: Held,
  { limitMs, ranMs, cancel }: { limitMs: number; ranMs: number; cancel: CancelAnswer | null },
): TimelineEntry[] {
  const of = { subject: 'attempt', subjectId: id, jobId } as const
  const found: TimelineEntry[] =
    before === null ? [{ ...of, kind: 'pastDeadline', facts: { limitMs, ranMs } }] : []
  return cancel === null ? found : [...found, { ...of, kind: 'cancelAsked', facts: { answer: cancel } }]
}
