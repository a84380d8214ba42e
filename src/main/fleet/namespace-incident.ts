import type { Leadership, Term } from '../../ports/leadership.ts'
import type { IncidentLedger } from '../../ports/ledger.ts'
import type { Log } from '../../ports/log.ts'
import { onceEachTerm } from './once-each-term.ts'

export interface NamespaceIncidentDeps {
  readonly ledger: IncidentLedger
  readonly installation: string
  readonly lease: string
  readonly log: Log
}

/** Opens an incident while nothing can be made where runners run, and lifts it in the next term in which it can. */
export function reportNamespaceTerminating(
  { ledger, installation, lease, log }: NamespaceIncidentDeps,
  leadership: Leadership,
  signal: AbortSignal,
): Promise<void> {
  const incident = { kind: 'namespace-terminating', installation, scope: 'runners', key: lease } as const
  async function note({ closing }: Term): Promise<void> {
    if (closing !== null) await ledger.raiseIncident({ ...incident, reason: closing }, 0)
    else await ledger.liftIncident(incident)
  }
  const tolerant = (term: Term) =>
    note(term).catch((error: unknown) =>
      log.warn({ err: error, lease }, 'the end of a namespace could not be noted'),
    )
  return onceEachTerm(leadership, tolerant, signal)
}
