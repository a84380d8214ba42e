import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'
import { enqueue } from '../../../test/support/ledger-steps.ts'
import { decisionListSchema } from '../../api/index.ts'
import type { NewDecision } from '../../ports/ledger.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const none = { jobId: null, attemptId: null, runnerId: null }
const decide = (over: Partial<NewDecision>) =>
  cli.bench.ledger.recordDecision({
    rule: 'stale-queued',
    ...none,
    facts: {},
    actions: [{ kind: 'look-again' }],
    ...over,
  })

describe('holdfast decisions', () => {
  it('lists rule, subject and outcome, newest first, and where the facts are', async () => {
    const jobId = await enqueue(cli.bench.ledger, 1)
    await cli.bench.ledger.recordOutcome(await decide({ jobId }), 'look-again: in 300000 ms')
    await cli.bench.clock.advance(61_000)
    await decide({ rule: 'orphaned-stamped-pod', facts: { hosted: { name: 'linux-x', pool: 'linux' } } })
    const { code, out } = await cli.run('decisions')
    expect(code).toBe(0)
    const [head, ...lines] = out.split('\n')
    expect(head).toMatch(/^UTC +RULE +JOB +RUNNER +POOL +OUTCOME$/)
    expect(lines[0]).toMatch(/^03:05:06 +orphaned-stamped-pod +- +linux-x +linux +look-again: under/)
    expect(lines[1]).toMatch(new RegExp(`^03:04:05 +stale-queued +${jobId} +- +.*look-again: in`))
    expect(out).toContain(`The facts of one: holdfast job ${jobId}, or --json`)
  })

  it('narrows by job, runner and rule, and says where there is nothing', async () => {
    const jobId = await enqueue(cli.bench.ledger, 1)
    await decide({ jobId })
    await decide({ rule: 'lingering-stray', facts: { hosted: { name: 'linux-x', pool: 'linux' } } })
    expect((await cli.run('decisions', '--job', String(jobId))).out).not.toContain('lingering-stray')
    expect((await cli.run('decisions', '--runner', 'linux-x')).out).not.toContain('stale-queued')
    expect((await cli.run('decisions', '--rule', 'lingering-stray')).out).not.toContain('stale-queued')
    expect((await cli.run('decisions', '--limit', '1')).out).toContain('There are more: --limit.')
    expect((await cli.run('decisions', '--pool', 'gpu')).out).toBe(
      'No such decisions. Those of archived jobs: holdfast job <id>\n',
    )
  })

  it('gives one document for a program, with facts and the reason of the rule', async () => {
    await decide({ facts: { forgeJob: 'gone' } })
    const { decisions, hasMore } = decisionListSchema.parse(
      JSON.parse((await cli.run('decisions', '--json')).out),
    )
    expect(hasMore).toBe(false)
    expect(decisions).toMatchObject([{ rule: 'stale-queued', facts: { forgeJob: 'gone' } }])
    expect(decisions[0]?.why).toMatch(/open for long/)
  })

  it('prints no control characters of a stored text, and no token', async () => {
    const id = await decide({ facts: { why: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' } })
    await cli.bench.ledger.recordOutcome(id, 'red \u001b[31m text')
    expect((await cli.run('decisions')).out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect((await cli.run('decisions', '--json')).out).not.toContain('ghp_0123456789')
  })

  it('refuses a number that no job has', async () => {
    expect((await cli.run('decisions', '--job', '0')).code).toBe(2)
    expect((await cli.run('decisions', '--since', 'yesterday')).code).toBe(2)
  })
})

describe('holdfast decisions --watch', () => {
  it('prints each decision once, oldest first, and those that come meanwhile', async () => {
    await cli.close()
    cli = await createCliBench('simulated', [
      () => decide({ rule: 'missed-end' }),
      async () => {},
      () => decide({ rule: 'host-lost' }),
    ])
    for (const rule of ['too-old', 'stale-claim', 'stale-queued']) await decide({ rule })
    const { code, out } = await cli.run('decisions', '--watch', '--limit', '2', '--json')
    const rules = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { rule: string }).rule)
    expect([code, rules]).toEqual([0, ['stale-claim', 'stale-queued', 'missed-end', 'host-lost']])
  })
})
