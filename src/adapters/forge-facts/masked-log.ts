import type { JobLogFact } from '../../domain/snapshot/index.ts'
import { renderTail } from '../../domain/tail/index.ts'
import type { JobRef } from '../../ports/forge-facts.ts'

/** A log in a snapshot: enough for the step that failed, which is near its end. */
const bounds = { linesMax: 2_000, bytesMax: 128 * 1024 }

/** The newest part of a job's log, masked. */
export function maskedLog(log: string, { repository, jobId }: JobRef): JobLogFact {
  const masked = renderTail(Buffer.from(log), false, bounds)
  const isCut = Buffer.byteLength(log) > bounds.bytesMax || log.trimEnd().split('\n').length > bounds.linesMax
  return { repository, jobId, lines: masked.trimEnd().split('\n'), isCut }
}
