import type { Bench } from '../report.ts'
import { claimRows } from './claims.ts'
import { fairnessRows } from './fairness.ts'
import { openGround } from './ground.ts'
import { historyRows } from './history.ts'
import { wakeRows } from './wake.ts'

export const ledgerBench: Bench = {
  name: 'ledger',
  about: 'claims and wake-ups of the ledger against plain SQL, on one embedded server with fsync on',
  async run(context) {
    const ground = await openGround()
    try {
      return [
        ...(await claimRows(ground, context)),
        ...(await wakeRows(ground, context)),
        ...(await fairnessRows(ground, context)),
        ...(await historyRows(ground, context)),
      ]
    } finally {
      await ground.close()
    }
  },
}
