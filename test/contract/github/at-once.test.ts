import { describe, expect, it } from 'vitest'
import { token } from '../../../sim/forge/testing/kit.ts'
import { createGitHub } from '../../../src/adapters/github/index.ts'
import { createSharedBudget } from '../../../src/budget/index.ts'
import { isError } from '../../../src/domain/errors/index.ts'
import { createControlBench } from '../../support/control-bench.ts'
import { clock, recordedLog } from '../../support/machine.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { type ContractForge, startContractForge } from './forge.ts'

const never = new AbortController().signal
const scope = { installation: 'simulated', repository: 'acme/shop' }
/** GitHub's own. */
const atOnceMax = 100
const callsOfEach = 110
const timeoutMs = 1_500

/** A process of its own: what it has under way, the other does not know. */
async function processOf(forge: ContractForge, isBounded: boolean) {
  const { ledger, metrics, log } = await createControlBench()
  const budget = createSharedBudget({ ledger, metrics, log, clock, installation: scope.installation })
  const { place, ...unbounded } = budget
  const ours = createGitHub({
    apiUrl: forge.server.url,
    installation: scope.installation,
    clock,
    log: recordedLog(),
    timeoutMs,
    credentials: { kind: 'token', token: () => token },
    webhookSecrets: () => [],
    budget: isBounded ? budget : unbounded,
  })
  untilTestEnds({ [Symbol.asyncDispose]: async () => ours.close() })
  return ours.forge
}

/** Counts the refused mints among many of two processes, while the forge answers nobody. */
async function refusals(isBounded: boolean): Promise<number> {
  const forge = untilTestEnds(await startContractForge())
  await forge.calls.submit()
  await forge.calls.send('POST', '/_sim/pace', { atOnceMax })
  const count = 2 * callsOfEach
  await forge.calls.send('POST', '/_sim/faults', { rest: { count, do: 'hang', match: 'generate-jitconfig' } })
  const processes = [await processOf(forge, isBounded), await processOf(forge, isBounded)]
  const mints = processes.flatMap((ours, which) =>
    Array.from({ length: callsOfEach }, (_, n) =>
      ours.mint({ scope, name: `r-${which}-${n}`, labels: ['linux'] }, never).catch((error: unknown) => {
        if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
        return null
      }),
    ),
  )
  const answers = await Promise.all(mints)
  return answers.filter((answer) => answer?.kind === 'refused' && /secondary/.test(answer.reason)).length
}

describe('a forge that answers nobody and refuses the 101st call at once', () => {
  it('refuses none of two processes that keep to their places', async () => {
    expect(await refusals(true)).toBe(0)
  }, 60_000)

  it('refuses those who do not', async () => {
    expect(await refusals(false)).toBeGreaterThan(0)
  }, 60_000)
})
