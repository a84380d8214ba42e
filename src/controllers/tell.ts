import type { FleetEvent } from '../ports/declared-pools.ts'

/** Tells people something where they look; a lost word costs nothing. */
export type Tell = (event: FleetEvent) => void

/** Where there is no such place: what is told is in the log and in the ledger. */
export const tellNobody: Tell = () => undefined
