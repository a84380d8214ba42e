import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isError } from '../../../src/domain/errors/index.ts'
import { jobsContract } from './jobs.ts'
import { type ForgeNature, type ForgeUnderTest, forgeBench, labels, repository } from './kit.ts'
import { ordersContract } from './orders.ts'
import { runnersContract } from './runners.ts'

export type { ForgeJobOrder, ForgeNature, ForgeUnderTest } from './kit.ts'

import { reached } from '../../support/reached.ts'

/** The contract of the Forge port. */
export function forgeContract(
  name: string,
  make: () => Promise<ForgeUnderTest>,
  nature: ForgeNature = {},
): void {
  describe(`the Forge port: ${name}`, () => {
    let under: ForgeUnderTest
    const bench = forgeBench(() => under)
    const { scope, asked, submit } = bench
    beforeEach(async () => {
      under = await make()
    })
    afterEach(() => under[Symbol.asyncDispose]())

    runnersContract(bench, nature)
    jobsContract(bench, nature)
    ordersContract(bench, nature)

    describe('a call that is given up', () => {
      it('throws E_FORGE_UNAVAILABLE, whatever it asks', async () => {
        await submit()
        const over = AbortSignal.abort()
        const calls = [
          bench.forge.mint({ scope: scope(), name: 'r-1', labels }, over),
          bench.forge.findRunner(scope(), 'r-1', over),
          bench.forge.removeRunner(scope(), 1, over),
          bench.forge.readJob(scope(), 1, over),
          bench.forge.readJobDetail(scope(), 1, over),
          bench.forge.readRunJobs(scope(), 1, over),
          bench.forge.readRunHead(scope(), 1, over),
          bench.forge.listJobs(asked(), over),
          bench.forge.unreachable(bench.under.installation, reached(repository), over),
          bench.forge.rerunJob(scope(), 1, over),
          bench.forge.rerunFailedJobs(scope(), 1, over),
          bench.forge.cancelRun(scope(), 1, over),
          bench.forge.readLog(scope(), 1, over),
        ]
        for (const outcome of await Promise.allSettled(calls)) {
          expect(outcome.status === 'rejected' && isError(outcome.reason, 'E_FORGE_UNAVAILABLE')).toBe(true)
        }
      })
    })
  })
}
