import type { Correction } from '../../domain/death/index.ts'
import type { EndRow } from '../../ports/ledger.ts'
import type { ApiEnd } from '../contracts/death-list.ts'
import { safeText } from './safe.ts'
import { iso } from './time.ts'

/** An end of the ledger in the terms of the API. */
export function endView(end: EndRow, correction: Correction | null): ApiEnd {
  const { class: of, confidence, runner, pool, node, image, repository, jobId } = end
  return {
    at: iso(end.at),
    sealedAt: iso(end.sealedAt),
    class: of,
    confidence,
    runner,
    pool,
    node,
    jobId,
    corrected: correction === null ? null : { at: iso(correction.at), class: correction.class },
    image: image === null ? null : safeText(image),
    repository: repository === null ? null : safeText(repository),
  }
}
