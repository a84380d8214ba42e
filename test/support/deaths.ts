import type { DeathRecord } from '../../src/domain/death/index.ts'
import { aDeathRecord, anEnd, aPodEnd } from '../../src/domain/death/testing.ts'
import { type Bench, cause, installation } from './holdfast-app.ts'

/** A runner that is enrolled and ends at once on a node. */
export async function die(
  { ledger, clock, enrol }: Bench,
  name: string,
  node: string,
  over: Partial<DeathRecord> = {},
): Promise<void> {
  await enrol(name)
  const runner = await ledger.findRunner(name)
  const place = { namespace: 'ci', pod: name, uid: `uid-of-${name}`, node }
  const ending = anEnd({ endedAt: clock.now(), pod: aPodEnd({ place }) })
  const record = aDeathRecord({ class: 'never-started', ending, ...over })
  await ledger.sealDeath(runner?.id ?? 0, record, record.class, cause)
}

/** The incident that many such ends make. */
export const nodeIncident = {
  kind: 'deaths-on-node',
  installation,
  scope: 'runners',
  key: 'never-started on node m789d',
  reason: '9 of 11 `never-started` on node m789d in 6 min; 4 % of all runners were there',
} as const
