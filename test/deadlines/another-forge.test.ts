import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { JobList, JobSummary, RetireAnswer, WhyAnswer } from '../../src/api/index.ts'
import { startForge } from '../forge-faults/forge/start.ts'
import { submit, until } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { holdfast, holdfastJson } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

/** Few, and quick to give up what nobody answers. */
const pools = [{ name: 'local', labels: ['self-hosted'], minWarm: 0, maxRunners: 2 }]
const env = {
  HOLDFAST_POOLS: JSON.stringify(pools),
  HOLDFAST_RECOVERY_TICK_MS: '300',
  HOLDFAST_DISPATCH_MINT_DEADLINE_MS: '2000',
  HOLDFAST_SHUTDOWN_DRAIN_MS: '500',
}
const lookEveryMs = 100

/** A second forge, which speaks GitHub's API and sends its webhooks to the same place. */
async function anotherForge(place: Place, called = 'another') {
  const [token, webhookSecret] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
  const folder = path.join(place.dataDir, '..', called, 'forge')
  await mkdir(folder, { recursive: true })
  const webhookUrl = `${place.url}/webhooks/forge`
  const forge = await startForge({ folder, token, webhookSecret, webhookUrl, delays: {} })
  return {
    ...forge,
    env: {
      ...env,
      HOLDFAST_FORGE_KIND: 'github',
      HOLDFAST_FORGE_URL: forge.url,
      HOLDFAST_FORGE_TOKEN: token,
      HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([webhookSecret]),
    },
    async submit(): Promise<number> {
      const job = { repository: 'acme/new', name: 'test', labels: ['self-hosted'], script: 'true' }
      return (await forge.order<{ id: number }>('POST', 'jobs', job)).id
    },
    [Symbol.asyncDispose]: () => forge.stop(),
  }
}

async function jobsOf(place: Place, installation: string): Promise<JobSummary[]> {
  const { jobs } = await holdfastJson<JobList>(place, 'jobs', '--all', '--limit', '100')
  return jobs.filter((job) => job.installation === installation)
}

async function untilNew(place: Place, count: number, installation = 'github'): Promise<JobSummary[]> {
  for (;;) {
    const jobs = await jobsOf(place, installation)
    if (jobs.filter(({ endedAt }) => endedAt !== null).length === count) return jobs
    await setTimeout(lookEveryMs)
  }
}

describe('holdfast up on the same ledger with another forge', { timeout: 240_000 }, () => {
  it('runs the new jobs, shows whose the old ones are, and lets a person close them', async () => {
    const place = untilTestEnds(await newPlace())
    const first = untilTestEnds(await startProgram(place, { env }))
    // Two hold the runners of the first life, four wait: none of them may hold those of the second.
    const old = await submit(place, ...Array<string>(2).fill('sleep 300'), ...Array<string>(4).fill('true'))
    await until(place, old.slice(0, 2), ({ state }) => state === 'running')
    await until(place, old.slice(2), ({ state }) => state === 'queued')
    await first.end('SIGTERM')

    const forge = untilTestEnds(await anotherForge(place))
    untilTestEnds(await startProgram(place, { env: forge.env }))
    for (let n = 0; n < 3; n += 1) await forge.submit()
    expect(await untilNew(place, 3)).toMatchObject(Array(3).fill({ state: 'completed', outcome: 'success' }))

    const left = (await jobsOf(place, 'simulated')).filter(({ endedAt }) => endedAt === null)
    expect(left.length).toBeGreaterThanOrEqual(4)
    expect(left.map(({ state }) => state)).not.toContain('claimed')
    for (const job of left) expect(job.reach).toMatchObject({ kind: 'installation-not-served' })
    const listed = await holdfast(place, 'jobs')
    expect(listed.out).toMatch(/simulated,\s+which is not served now: github is/)
    const why = await holdfastJson<WhyAnswer>(place, 'why', String(left[0]?.id))
    expect(why).toMatchObject({ reason: 'unreachable', reach: { kind: 'installation-not-served' } })

    const retire = ['jobs', 'retire', '--installation']
    const served = await holdfast(place, ...retire, 'github')
    expect({ code: served.code, err: served.err }).toMatchObject({
      code: 5,
      err: expect.stringMatching(/being served/),
    })
    expect((await holdfast(place, ...retire, 'gitlab')).code).toBe(6)
    const dry = await holdfastJson<RetireAnswer>(place, ...retire, 'simulated', '--dry-run')
    expect(dry).toMatchObject({ dryRun: true, jobs: left.length, failed: [] })
    expect(await jobsOf(place, 'simulated')).toHaveLength(6)
    const done = await holdfastJson<RetireAnswer>(place, ...retire, 'simulated')
    expect(done).toMatchObject({ dryRun: false, jobs: left.length, failed: [] })
    const closed = (await jobsOf(place, 'simulated')).filter(({ id }) => left.some((job) => job.id === id))
    expect(closed).toMatchObject(left.map(() => ({ state: 'cancelled', outcome: 'retired' })))
    const again = await holdfastJson<RetireAnswer>(place, ...retire, 'simulated')
    expect(again).toMatchObject({ jobs: 0, attempts: 0 })
  })
})

describe('holdfast up on one ledger with two servers of one kind', { timeout: 240_000 }, () => {
  it('takes no job of one for a job of the other, and goes on with the first where it left it', async () => {
    const place = untilTestEnds(await newPlace())
    const one = untilTestEnds(await anotherForge(place, 'one'))
    const other = untilTestEnds(await anotherForge(place, 'other'))

    const first = untilTestEnds(await startProgram(place, { env: one.env }))
    const done = await one.submit()
    expect(await untilNew(place, 1)).toMatchObject([{ forgeJobId: done, outcome: 'success' }])
    await first.end('SIGTERM')
    // It comes while nobody listens.
    const left = await one.submit()

    const second = untilTestEnds(await startProgram(place, { env: other.env }))
    const name = `github@${new URL(other.url).host}`
    // Both servers number their jobs alike.
    expect([await other.submit(), await other.submit()]).toEqual([done, left])
    expect(await untilNew(place, 2, name)).toMatchObject(Array(2).fill({ outcome: 'success' }))
    expect(await jobsOf(place, 'github')).toHaveLength(1)
    const found = await holdfastJson<{ job: JobSummary }>(place, 'job', `${name}:${left}`)
    expect(found.job).toMatchObject({ installation: name, forgeJobId: left })
    await second.end('SIGTERM')

    untilTestEnds(await startProgram(place, { env: one.env }))
    await holdfast(place, 'forge', 'resync')
    expect((await untilNew(place, 2)).map(({ outcome }) => outcome)).toEqual(['success', 'success'])
    expect(await jobsOf(place, name)).toHaveLength(2)
  })
})
