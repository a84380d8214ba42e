import type { Instant } from '../../domain/time.ts'
import type { HostRow } from '../../ports/ledger.ts'
import type { ApiHost } from '../contracts/host.ts'
import { iso, isoOrNull } from './time.ts'

/** A host in the terms of the API. */
export function hostView(row: HostRow, now: Instant): ApiHost {
  return {
    id: row.id,
    kind: row.kind,
    state: row.endedAt !== null ? 'ended' : row.isLost ? 'lost' : 'live',
    firstSeenAt: iso(row.firstSeenAt),
    heartbeatAt: iso(row.heartbeatAt),
    heartbeatAgeMs: Math.max(0, Math.round(now - row.heartbeatAt)),
    endedAt: isoOrNull(row.endedAt),
    liveRunners: row.liveRunners,
  }
}
