import type { DeathRecord } from '../../src/domain/death/index.ts'
import type { Mutant } from './mutant.ts'
import { override } from './override.ts'

/** Mutants of the decision whether a job was lost, wrong in both ways. */
export const lostMutants: readonly Mutant[] = [
  {
    name: 'a job is lost by any end of its runner, whenever that was',
    breaks: ['end'],
    mutate: sealing((record) => ({
      ...record,
      class: 'crash',
      confidence: 'likely',
      ending: record.ending === null ? null : { ...record.ending, endedAt: 0 },
    })),
  },
  {
    name: "the forge's conclusion of a job is never questioned",
    breaks: ['end'],
    mutate: sealing((record) => ({ ...record, confidence: 'unknown' })),
  },
]

function sealing(wrong: (record: DeathRecord) => DeathRecord): Mutant['mutate'] {
  return (around, { ledger }) => ({
    ...around,
    ledger: override(around.ledger, {
      sealDeath: (runnerId, record, ...rest) => ledger.sealDeath(runnerId, wrong(record), ...rest),
    }),
  })
}
