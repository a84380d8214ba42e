import type { FleetEvent } from '../ports/declared-pools.ts'

/** Records an event for people to see, as client-go's `EventRecorder`; a lost event costs nothing. */
export type RecordEvent = (event: FleetEvent) => void

/** For hosts without events: what happened is in the log and in the ledger. */
export const discardEvent: RecordEvent = () => undefined
