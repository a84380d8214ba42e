import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  aboutSchema,
  type JobSummary,
  jobFileSchema,
  jobListSchema,
  runnerListSchema,
  whySchema,
} from '../../src/api/index.ts'
import { leftovers } from '../support/leftovers.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { outcomesOf, startsAndEnds, submit, truthOf } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { holdfast, holdfastJson } from './support/program.ts'
import { type Program, readyWithinMs, startProgram } from './support/start-program.ts'

const checkout = fileURLToPath(new URL('../../', import.meta.url))
/** More than the pool's four runners take at once. */
const queue = Array.from({ length: 10 }, () => 'sleep 0.4')

// These tests run in order: one life of one data folder.
describe('holdfast up, from an empty folder', { timeout: 60_000 }, () => {
  let place: Place
  let program: Program
  let submitted: { forgeJobId: number; job: JobSummary }
  let queued: number[]

  beforeAll(async () => {
    place = await newPlace()
    program = await startProgram(place)
  })
  afterAll(async () => {
    await program?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
  })

  it(`serves within ${readyWithinMs / 1000} s and says where to look`, async () => {
    expect(program.readyAfterMs).toBeLessThan(readyWithinMs)
    await program.says(/Holdfast serves\./)
    await program.says(new RegExp(`status page +${place.url}`))
  })

  it('runs a job that was submitted on the command line', async () => {
    const script = 'echo "hello from $GITHUB_JOB"; test -d "$PWD"'
    submitted = await holdfastJson(place, 'submit', '--script', script, '--wait')
    expect(submitted.job).toMatchObject({ state: 'completed', outcome: 'success', requeues: 0 })
    expect(await startsAndEnds(place, [submitted.forgeJobId])).toEqual(['1 start, success'])
  })

  it('exits with 7 where the job that was waited for failed', async () => {
    const { code, err } = await holdfast(place, 'submit', '--script', 'exit 3', '--wait')
    expect({ code, err }).toEqual({ code: 7, err: expect.stringContaining('E_JOB_BAD_END') })
  })

  it('answers every question about it in JSON', async () => {
    const { id } = submitted.job
    const [jobs, file, runners, why, config] = await Promise.all([
      holdfastJson(place, 'jobs', '--all'),
      holdfastJson(place, 'job', String(id)),
      holdfastJson(place, 'runners'),
      holdfastJson(place, 'why', String(id)),
      holdfastJson<{ settings: unknown }>(place, 'config', 'print'),
    ])
    expect(jobListSchema.parse(jobs).jobs.map((job) => job.outcome)).toEqual(['failure', 'success'])
    const { attempts, timeline, job } = jobFileSchema.parse(file)
    expect(attempts).toMatchObject([{ state: 'ended', endReason: 'finished', runner: job.executor }])
    expect(timeline.map((row) => row.sentence).join('\n')).toMatch(/\w+ \w+/)
    expect(runnerListSchema.parse(runners).runners.some(({ endedAt }) => endedAt === null)).toBe(true)
    expect(whySchema.parse(why)).toMatchObject({ job: id, state: 'completed' })
    expect(config.settings).toContainEqual(
      expect.objectContaining({ path: 'dataDir', value: place.dataDir, origin: 'HOLDFAST_DATA_DIR' }),
    )
  })

  it('serves its status page, its API and its metrics', async () => {
    const [page, about, metrics, live] = await Promise.all(
      ['/', '/v1/about', '/metrics', '/livez'].map((where) => fetch(`${place.url}${where}`)),
    )
    expect(page?.headers.get('content-type')).toContain('text/html')
    expect(await page?.text()).toContain('acme/web')
    expect(aboutSchema.parse(await about?.json())).toMatchObject({ forge: { url: place.forgeUrl } })
    expect(await metrics?.text()).toMatch(/^holdfast_runners\{pool="local",state="\w+"\} \d/m)
    expect(live?.status).toBe(200)
  })

  it('says that a job is unknown, with exit code 6', async () => {
    const { code, err } = await holdfast(place, 'job', '999')
    expect({ code, err }).toEqual({ code: 6, err: expect.stringContaining('No job 999 is known here.') })
  })

  it('refuses a second start on its data folder, names the first, and goes on', async () => {
    const { code, err } = await holdfast(place, 'up')
    expect({ code, err }).toEqual({ code: 5, err: expect.stringMatching(/E_DATA_DIR_BUSY/) })
    expect(err).toContain(`process ${program.pid})`)
    expect((await fetch(`${place.url}/readyz`)).status).toBe(200)
  })

  it('ends on SIGTERM with 0, and leaves no process and no cgroup', async () => {
    queued = await submit(place, ...queue)
    const { code, err } = await program.end('SIGTERM')
    expect({ code, errors: err.match(/"level":"error".*/g) }).toEqual({ code: 0, errors: null })
    expect(await leftovers(place.dataDir)).toEqual([])
  })

  it('goes on with its queue after a restart, and still knows what it did', async () => {
    const restartedAt = Date.now()
    program = await startProgram(place)
    const before = await holdfastJson<{ job: JobSummary }>(place, 'job', String(submitted.job.id))
    expect(before.job).toEqual(submitted.job)
    expect(await outcomesOf(place, queued)).toEqual(queue.map(() => 'success'))
    expect(await startsAndEnds(place, queued)).toEqual(queue.map(() => '1 start, success'))
    const startedAfter = (await truthOf(place, queued)).filter(({ starts }) =>
      starts.every(({ at }) => at > restartedAt),
    )
    expect(startedAfter.length).toBeGreaterThan(0)
  })

  it('ends on Ctrl-C with 0 and leaves nothing', async () => {
    expect(await program.end('SIGINT')).toMatchObject({ code: 0 })
    expect(await leftovers(place.dataDir)).toEqual([])
  })
})

describe('`npm start`', { timeout: 60_000 }, () => {
  it('passes a signal to npm on, and leaves nothing behind', async () => {
    const place = untilTestEnds(await newPlace())
    const command = ['npm', '--prefix', checkout, 'start']
    const program = untilTestEnds(await startProgram(place, { command, args: [] }))
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 })
    expect(await leftovers(place.dataDir)).toEqual([])
  })
})
