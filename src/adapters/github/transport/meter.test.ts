import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { github, type Routes, routed, type Seen } from '../../../../test/contract/github/answering.ts'
import { clock } from '../../../../test/support/machine.ts'
import { reached } from '../../../../test/support/reached.ts'
import type { Admission, Budget, BudgetReading, Purpose } from '../../../ports/budget.ts'

const never = new AbortController().signal
const scope = { installation: 'gh', repository: 'acme/shop' }
const order = { scope, name: 'r-1', labels: ['linux'] }
const mintPath = 'POST /repos/acme/shop/actions/runners/generate-jitconfig'
const wait: Admission = { kind: 'wait', forMs: 90_000, why: 'of 5000 calls 20 are left' }
const resetSeconds = Math.ceil(clock.now() / 1000) + 1000
const headers = (remaining: number) => ({
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetSeconds),
  'x-ratelimit-resource': 'core',
})

async function counted(routes: Routes, held: readonly Purpose[] = []) {
  const seen: Seen[] = []
  const asked: Purpose[] = []
  const notes: BudgetReading[] = []
  const pauses: { forMs: number; why: string }[] = []
  const budget: Budget = {
    admit(purpose) {
      asked.push(purpose)
      return held.includes(purpose) ? wait : { kind: 'go' }
    },
    note: (reading) => notes.push(reading),
    pause: (forMs, why) => pauses.push({ forMs, why }),
  }
  return { ...(await github(routed(routes, seen), { budget })), seen, asked, notes, pauses }
}

describe('the secondary rate limit by points', () => {
  const paced = async (answer: Admission) => {
    const entered: [number, Purpose][] = []
    const seen: Seen[] = []
    const budget: Budget = {
      admit: () => ({ kind: 'go' }),
      async enter(points, purpose) {
        entered.push([points, purpose])
        return answer
      },
      note: () => undefined,
      pause: () => undefined,
    }
    return { ...(await github(routed({}, seen), { budget })), entered, seen }
  }

  it('is charged before each call: one point for a read, five for a write', async () => {
    const { forge, entered } = await paced({ kind: 'go' })
    await forge.mint(order, never)
    await forge.removeRunner(scope, 1, never).catch(() => {})
    expect(entered).toEqual([
      [5, 'dispatch'],
      [5, 'recovery'],
      [1, 'recovery'],
    ])
  })

  it('rejects a call that would have to wait too long, with the time to wait', async () => {
    const { forge, seen } = await paced(wait)
    expect(await forge.mint(order, never)).toMatchObject({
      kind: 'refused',
      concerns: 'account',
      incident: null,
      retryAfterMs: 90_000,
    })
    expect(seen).toEqual([])
  })
})

describe('the budget', () => {
  it('admits every call by its purpose', async () => {
    const { forge, deliveries, asked } = await counted({ '/user/repos': [200, []] })
    const purposesOf = async (call: () => Promise<unknown>) => {
      asked.length = 0
      await call().catch(() => {})
      return [...new Set(asked)]
    }
    expect(await purposesOf(() => forge.mint(order, never))).toEqual(['dispatch'])
    const resyncs = [
      () => forge.listJobs({ installation: 'gh', since: 0, settledRuns: new Set() }, never),
      () => forge.unreachable('gh', reached('acme/shop'), never),
      () => deliveries.sentSince(0, never),
      () => deliveries.sendAgain('/app/hook/deliveries/1', never),
    ]
    for (const resync of resyncs) expect(await purposesOf(resync)).toEqual(['resync'])
    const rescues = [
      () => forge.findRunner(scope, 'r-1', never),
      () => forge.removeRunner(scope, 1, never),
      () => forge.readJob(scope, 1, never),
      () => forge.rerunJob(scope, 1, never),
      () => forge.rerunFailedJobs(scope, 1, never),
      () => forge.cancelRun(scope, 1, never),
      () => forge.readLog(scope, 1, never),
      () => forge.readLimit(never),
    ]
    for (const rescue of rescues) expect(await purposesOf(rescue)).toEqual(['recovery'])
  })

  it('learns the remaining calls from the rate-limit endpoint, and nothing where there is no limit', async () => {
    const asked = await counted({ '/rate_limit': [200, {}, headers(4_321)] })
    await asked.forge.readLimit(never)
    expect(asked.notes).toEqual([{ limit: 5_000, remaining: 4_321, resetAt: resetSeconds * 1000 }])
    const unlimited = await counted({ '/rate_limit': [404, {}] })
    await unlimited.forge.readLimit(never)
    expect(unlimited.notes).toEqual([])
    const unwell = await counted({ '/rate_limit': [403, {}] })
    await expect(unwell.forge.readLimit(never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })

  it('refuses a mint with the time to wait when it is exhausted, and sends nothing', async () => {
    const { forge, seen } = await counted({}, ['dispatch'])
    expect(await forge.mint(order, never)).toEqual({
      kind: 'refused',
      concerns: 'account',
      incident: null,
      reason: 'of 5000 calls 20 are left',
      retryAfterMs: 90_000,
    })
    expect(seen).toEqual([])
  })

  it('fails every other call with the reason when it is exhausted, and sends nothing', async () => {
    const { forge, seen } = await counted({}, ['resync', 'recovery'])
    const outcomes = await Promise.allSettled([
      forge.readJob(scope, 1, never),
      forge.listJobs({ installation: 'gh', since: 0, settledRuns: new Set() }, never),
      forge.unreachable('gh', reached('acme/shop'), never),
    ])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'E_FORGE_UNAVAILABLE' } })
      expect(String((outcome as PromiseRejectedResult).reason)).toContain('20 are left')
    }
    expect(seen).toEqual([])
  })

  it('learns the remaining calls from every answer, also from a refusal', async () => {
    const { forge, notes, pauses } = await counted({
      [mintPath]: [422, { message: 'Invalid labels' }, headers(4321)],
      '/repos/acme/shop': [404, {}, { ...headers(7), 'x-ratelimit-resource': 'search' }],
    })
    await forge.mint(order, never)
    await forge.readJob(scope, 1, never).catch(() => {})
    expect(notes).toEqual([{ limit: 5000, remaining: 4321, resetAt: resetSeconds * 1000 }])
    expect(pauses).toEqual([])
  })

  it('learns nothing where headers are missing or invalid', async () => {
    const odd = [
      {},
      { ...headers(1), 'x-ratelimit-limit': '0' },
      { ...headers(1), 'x-ratelimit-reset': '-5' },
    ]
    for (const each of odd) {
      const { forge, notes } = await counted({ [mintPath]: [422, {}, each] })
      await forge.mint(order, never)
      expect(notes).toEqual([])
    }
  })

  it('pauses after a secondary rate limit, but not when only the hour is exhausted', async () => {
    const message = 'You have exceeded a secondary rate limit'
    const asks = [
      [403, { ...headers(4000), 'retry-after': '7' }, [{ forMs: 7_000, why: message }]],
      [429, headers(4000), [{ forMs: 60_000, why: message }]],
      [403, headers(0), []],
    ] as const
    for (const [status, given, expected] of asks) {
      const { forge, pauses } = await counted({ [mintPath]: [status, { message }, given] })
      await forge.mint(order, never)
      expect(pauses).toEqual(expected)
    }
  })

  it('is separate for each account where configured, and the App never uses that of its installations', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const expires_at = new Date(clock.now() + 3_600_000).toISOString()
    const routes: Routes = {
      '/app/installations': [200, [{ id: 11, account: { login: 'acme' } }], headers(50)],
      'POST /app/installations/11/access_tokens': [201, { token: 'ghs_1', expires_at }, headers(49)],
      [mintPath]: [422, {}, headers(4000)],
    }
    const noted: [string, number][] = []
    const budgetOf = (account: string): Budget => ({
      admit: () => ({ kind: 'go' }),
      pause: () => {},
      note: ({ remaining }) => noted.push([account, remaining]),
    })
    const credentials = { kind: 'app', id: () => '1', privateKey: () => privateKey } as const
    const each = await github(routed(routes), { credentials, budget: budgetOf })
    await each.forge.mint(order, never)
    expect(noted).toEqual([
      ['app', 50],
      ['app', 49],
      ['installation 11', 4000],
    ])
    noted.length = 0
    const one = await github(routed(routes), { credentials, budget: budgetOf('all') })
    await one.forge.mint(order, never)
    expect(noted).toEqual([['all', 4000]])
  })
})
