import { afterEach, describe, expect, it } from 'vitest'
import { arcSnapshot } from '../../../test/support/arc-states.ts'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { triageReportSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import {
  forgeJobFact,
  listed,
  readAt,
  scaleSetFact,
  snapshotOf,
} from '../../domain/snapshot/testing/facts.ts'
import type { CliDeps } from '../deps.ts'

let cli: CliBench
const url = 'https://github.com/acme/web/actions/runs/31/job/87'

const queued = () => {
  const snapshot = arcSnapshot('head/c-rollover-deadlock', { withForge: true })
  const [set] = snapshot.cluster.scaleSets.items
  const job = forgeJobFact(87, { labels: [...(set?.runnerLabels ?? [])] })
  return { ...snapshot, forge: { ...snapshot.forge, jobs: listed([job]) } }
}

async function run(snapshot: () => Snapshot, over: Partial<CliDeps>, ...args: string[]) {
  cli = await createCliBench()
  return cli.runWith(
    {
      roles: { ...roles, readSnapshot: async () => snapshot(), collectSnapshot: async () => snapshot() },
      readTail: (file) =>
        Promise.reject(new HoldfastError('E_LOG_UNREADABLE', { file, why: 'no such file' })),
      ...over,
    },
    'triage',
    ...args,
  )
}

afterEach(() => cli.close())

describe('holdfast triage', () => {
  it('answers for a job of a foreign fleet by the facts of cluster and forge', async () => {
    const { code, out } = await run(queued, {}, url)
    expect(code).toBe(0)
    expect(out).toContain('Answered by the facts of cluster and forge')
    expect(out).toContain('Job 87, acme/web · test')
    expect(out).toContain('rollover-deadlock')
    expect(out).toContain('careful: ')
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    const report = JSON.parse((await run(queued, {}, url, '--json')).out)
    expect(triageReportSchema.parse(report)).toEqual(report)
  })

  it('shows the attempts of a job next to each other', async () => {
    const over = { status: 'completed', runnerName: 'linux-1' }
    const jobs = [
      forgeJobFact(87, { ...over, conclusion: 'failure' }),
      forgeJobFact(91, { ...over, conclusion: 'success', runAttempt: 2, runnerName: 'linux-2' }),
    ]
    const pool = scaleSetFact('local', { namespace: '', origin: 'holdfast', runnerLabels: ['linux'] })
    const twice = () => snapshotOf({ cluster: { scaleSets: listed([pool]) }, forge: { jobs: listed(jobs) } })
    const { out } = await run(twice, {}, 'https://github.com/acme/web/actions/runs/31')
    expect(out).toContain('ATTEMPT 1')
    expect(out).toContain('scale set local\n')
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'the pass is the result, and the failure is kept as evidence',
    )
    const report = JSON.parse((await run(twice, {}, url, '--json')).out)
    expect(triageReportSchema.parse(report)).toEqual(report)
    expect(report.cases[0].attempts.outcome).toBe('passed-on-same-commit')
  })

  it('shows what forge and cluster say by time: around the end, all of it, and whole as JSON, also from a file', async () => {
    const steps = Array.from({ length: 20 }, (_, number) => ({
      number,
      name: `${'a long name '.repeat(20)}${number}`,
      status: 'completed',
      conclusion: 'success',
      startedAt: readAt - (60 - number) * 60_000,
      completedAt: readAt - (60 - number) * 60_000,
    }))
    const over = { status: 'completed', conclusion: 'failure', runnerName: 'linux-1', completedAt: readAt }
    const facts = () => snapshotOf({ forge: { jobs: listed([forgeJobFact(87, { ...over, steps })]) } })
    const part = (await run(facts, {}, url)).out
    expect(part).toContain('earlier rows: --timeline all')
    expect(part).toContain('The job was over (failure)')
    const all = (await run(facts, {}, url, '--timeline', 'all', '--snapshot', 'x')).out
    expect(all).toContain('Step 0 (')
    expect(all).not.toContain('earlier rows')
    for (const line of `${part}\n${all}`.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    const report = JSON.parse((await run(facts, {}, url, '--json')).out)
    expect(triageReportSchema.parse(report)).toEqual(report)
    expect(report.cases[0].timeline.rows).toHaveLength(42)
    expect(await run(facts, {}, url, '--timeline', 'some')).toMatchObject({ code: 2 })
  })

  it('answers for a job of ours by the ledger', async () => {
    cli = await createCliBench()
    const id = await cli.bench.queue(87)
    const { code, out } = await cli.runWith(
      { readTail: (file) => Promise.reject(new HoldfastError('E_LOG_UNREADABLE', { file, why: 'none' })) },
      'triage',
      `job/${id}`,
    )
    expect(out).toContain("Answered by Holdfast's own ledger.")
    expect(code).toBe(9)
  })

  it('answers by a log alone where a file is given, and exits with 0 only with a verdict', async () => {
    const readTail: CliDeps['readTail'] = async (file) => ({
      bytes: Buffer.from(file === 'full.log' ? 'write: no space left on device\n' : 'hello\n'),
      isCut: false,
      writtenAt: null,
    })
    const full = await run(snapshotOf, { readTail }, 'full.log')
    expect(full).toMatchObject({ code: 0, out: expect.stringContaining('Answered by this log alone') })
    expect(full.out).toMatch(/disk/)
    expect((await run(snapshotOf, { readTail }, '-')).code).toBe(9)
  })

  it('says which URLs it takes, where one is none of them', async () => {
    const { code, err } = await run(snapshotOf, {}, 'https://github.com/acme/web/pull/3')
    expect(code).toBe(2)
    expect(err).toContain(
      'is no URL of a job or run: expected https://<forge>/<owner>/<repository>/actions/runs/<run>',
    )
  })

  it('says what was looked for where nothing names it, and which file is not there', async () => {
    expect(await run(snapshotOf, {}, 'nobody', '--snapshot', 'x')).toMatchObject({
      code: 6,
      err: expect.stringContaining('a runner of the name nobody'),
    })
    expect(await run(snapshotOf, {}, './gone.log')).toMatchObject({
      code: 6,
      err: expect.stringContaining('gone.log'),
    })
  })
})
