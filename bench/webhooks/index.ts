import { openGround } from '../ledger/ground.ts'
import type { Bench } from '../report.ts'
import { acceptRows } from './accept/index.ts'
import { callRows } from './calls.ts'

export const webhooksBench: Bench = {
  name: 'webhooks',
  about: 'webhooks accepted against a bare server with one INSERT each, and calls to the forge for each job',
  async run(context) {
    const ground = await openGround()
    try {
      return [...(await acceptRows(ground, context)), ...(await callRows(context))]
    } finally {
      await ground.close()
    }
  },
}
