/** A step of the program at which it is killed: a call of a port, before its effect or before its answer is used. */
export interface Point {
  readonly call: string
  readonly when: 'before' | 'after'
}

/** The order of writes in a dispatch, from the webhook to the released runner; each must be met. */
const dispatchPath = [
  'ledger.storeDelivery',
  'ledger.pendingDeliveries',
  'ledger.applyJobEvent',
  'ledger.enrolAll',
  'host.start',
  'ledger.findRunner',
  'ledger.polled',
  'ledger.openAttempt',
  'ledger.claim',
  'forge.mint',
  'ledger.minted',
  'ledger.deliver',
  'ledger.acknowledge',
  'host.list',
  'host.ending',
  'ledger.sealDeath',
  'host.release',
] as const

/** Steps of recovery after a death or a lost message; reached when the round provokes it. */
const recoveryPath = [
  'ledger.due',
  'forge.readJob',
  'forge.findRunner',
  'ledger.recordDecision',
  'ledger.postpone',
  'ledger.endAttempt',
  'ledger.recordOutcome',
  'forge.listJobs',
  'ledger.findJob',
] as const

const both = (calls: readonly string[]): Point[] =>
  calls.flatMap((call) => [
    { call, when: 'before' as const },
    { call, when: 'after' as const },
  ])

export const dispatchPoints: readonly Point[] = both(dispatchPath)
export const recoveryPoints: readonly Point[] = both(recoveryPath)
