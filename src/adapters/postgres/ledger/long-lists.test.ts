import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBench, operatorToken } from '../../../../test/support/holdfast-app.ts'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, complete, delivered, enqueue, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { jobListSchema } from '../../../api/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'

const jobCount = 2_000
const endedCount = 50
const pageSize = 500

// One ledger for all tests: 2,000 jobs are inserted once.
describe('lists of a ledger with 2,000 jobs', { timeout: 120_000 }, () => {
  let bench: LedgerBench
  let ledger: Ledger
  let ask: (path: string) => Promise<Response>

  beforeAll(async () => {
    bench = await ledgerBench()
    ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    const numbers = Array.from({ length: jobCount }, (_, at) => at + 1)
    for (let at = 0; at < jobCount; at += 100)
      await Promise.all(numbers.slice(at, at + 100).map((number) => enqueue(ledger, number)))
    await delivered(ledger)
    for (const number of numbers.slice(-endedCount)) await complete(ledger, number, null)
    const app = await createBench({ ledger })
    ask = (path) => app.ask(path, { headers: { authorization: `Bearer ${operatorToken}` } })
  }, 120_000)
  afterAll(() => bench?.[Symbol.asyncDispose]())

  const list = async (query: string) => jobListSchema.parse(await (await ask(`/v1/jobs?${query}`)).json())

  it('count the jobs of all pages, and have the claimed and the oldest before the newest that ended', async () => {
    const page = await list('order=attention&limit=50')
    expect(page).toMatchObject({ total: jobCount, isTotalExact: true })
    expect(page.jobs.map(({ state }) => state).slice(0, 2)).toEqual(['delivered', 'queued'])
    const queued = page.jobs.slice(1).map(({ id }) => id)
    expect(queued).toEqual(queued.toSorted((a, b) => a - b))
    expect(await list('state=queued')).toMatchObject({ total: jobCount - endedCount - 1 })
    expect(await list('outcome=success')).toMatchObject({ total: endedCount })
  })

  it('leads by its cursors through every job once', async () => {
    const seen: number[] = []
    let cursor = ''
    do {
      const page = await list(`order=attention&limit=${pageSize}${cursor}`)
      seen.push(...page.jobs.map(({ id }) => id))
      cursor = page.next === null ? '' : `&cursor=${page.next}`
    } while (cursor !== '')
    expect(new Set(seen).size).toBe(jobCount)
    expect(seen.length).toBe(jobCount)
  })

  it('says on the status page how many wait, and that it lists only some', async () => {
    const page = await (await ask('/')).text()
    expect(page).toContain(`Waiting (${jobCount - endedCount})`)
    expect(page).toContain(`${jobCount - endedCount - 50} more, which this page does not list`)
  })
})
