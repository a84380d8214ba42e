import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isWhole } from '../../../domain/snapshot/index.ts'
import { createForgeFiles, type ForgeFilesOptions } from './from-files.ts'

const now = Date.parse('2026-06-01T03:00:00Z')
const never = new AbortController().signal

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-forge-files-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const runner = (id: number, more = {}) => ({
  id,
  name: `linux-${id}`,
  os: 'linux',
  status: 'online',
  busy: false,
  labels: [{ id: 1, name: 'linux', type: 'custom' }],
  ...more,
})
const job = (id: number, more = {}) => ({
  id,
  run_id: 31,
  run_attempt: 2,
  url: `https://api.github.com/repos/acme/web/actions/jobs/${id}`,
  html_url: `https://github.com/acme/web/actions/runs/31/job/${id}`,
  name: 'build',
  workflow_name: 'CI',
  head_sha: 'a'.repeat(40),
  labels: ['linux'],
  status: 'completed',
  conclusion: 'failure',
  runner_id: 7,
  runner_name: 'linux-7',
  created_at: '2026-06-01T02:50:00Z',
  started_at: '2026-06-01T02:51:00Z',
  completed_at: '2026-06-01T02:55:00Z',
  steps: [
    { number: 2, name: 'Run tests', status: 'completed', conclusion: 'failure' },
    { number: 1, name: 'Set up job', status: 'completed', conclusion: 'success' },
  ],
  ...more,
})

function read(given: Partial<ForgeFilesOptions>, asked: { scopes?: string[]; repositories?: string[] } = {}) {
  const reader = createForgeFiles({ runners: [], jobs: [], clock: { now: () => now }, ...given })
  const order = {
    runnerScopes: asked.scopes ?? ['acme'],
    isCoveredWanted: false,
    repositories: asked.repositories ?? null,
    since: now,
    runs: [],
    jobs: [],
    callsMax: 0,
  }
  return reader.readForgeFacts(order, never)
}

describe('files of jobs', () => {
  it('have every attempt of a job, in one file (filter=all) or in one for each attempt', async () => {
    const first = job(87, { run_attempt: 1 })
    const second = job(91, { conclusion: 'success' })
    const whole = await file('all.json', JSON.stringify({ total_count: 2, jobs: [first, second] }))
    const each = [
      await file('1.json', JSON.stringify({ total_count: 1, jobs: [first] })),
      await file('2.json', JSON.stringify({ total_count: 1, jobs: [second] })),
    ]
    for (const jobs of [[whole], each]) {
      const { facts } = await read({ jobs })
      expect(facts.jobs.items.map(({ runAttempt, conclusion }) => `${runAttempt} ${conclusion}`)).toEqual([
        '1 failure',
        '2 success',
      ])
    }
  })
})

describe('the log of a job in a file', () => {
  const jobs = () => file('j.json', JSON.stringify({ total_count: 1, jobs: [job(87)] }))

  it('is a fact of that job, masked; those of others are unread', async () => {
    const path = await file('job.log', `Killed\ntoken: ghp_${'a'.repeat(36)}\n`)
    const { facts } = await read({ jobs: [await jobs()], logs: [{ jobId: 87, path }] })
    expect(facts.logs.items).toMatchObject([{ repository: 'acme/web', jobId: 87, isCut: false }])
    expect(facts.logs.items[0]?.lines[0]).toBe('Killed')
    expect(JSON.stringify(facts.logs)).not.toContain('ghp_aaaa')
    expect(facts.logs.unread[0]?.needs).toContain('--github-job-log')
  })
  it.each([
    ['that no file of jobs has', 88, 'job.log', 'a job 88 in a file of --github-jobs-json'],
    ['that cannot be read', 87, 'gone.log', 'a file that this user may read'],
  ])('%s is refused', async (_, jobId, name, expected) => {
    await file('job.log', 'x')
    const given = { jobs: [await jobs()], logs: [{ jobId, path: join(folder, name) }] }
    await expect(read(given)).rejects.toMatchObject({ code: 'E_FORGE_FILE', params: { expected } })
  })
})

describe('a file of runners', () => {
  it('is read as the list of the only scope that is asked for, and is whole where it has as many as the forge counted', async () => {
    const path = await file(
      'r.json',
      JSON.stringify({ total_count: 1, runners: [runner(7, { busy: true })] }),
    )
    const { facts } = await read({ runners: [{ scope: null, path }] })
    expect(facts.runners.items).toEqual([
      {
        scope: 'acme',
        id: 7,
        name: 'linux-7',
        isOnline: true,
        isBusy: true,
        labels: ['linux'],
        version: null,
      },
    ])
    expect(isWhole(facts.runners)).toBe(true)
  })

  it('is not whole where a page is missing, where it says no count, and where another scope is asked for too', async () => {
    const path = await file('r.json', JSON.stringify({ total_count: 2, runners: [runner(7)] }))
    const bare = await file('bare.json', JSON.stringify([runner(7)]))
    const { facts: short } = await read({ runners: [{ scope: 'acme', path }] })
    expect(short.runners.unread[0]?.why).toBe('the forge counted 2, it has 1')
    const { facts: uncounted } = await read({ runners: [{ scope: 'acme', path: bare }] })
    expect(isWhole(uncounted.runners)).toBe(false)
    const { facts } = await read({ runners: [{ scope: null, path: bare }] }, { scopes: ['acme', 'acme/web'] })
    expect(facts.runners.items[0]?.scope).toBeNull()
    expect(facts.runners.unread.map(({ what }) => what)).toContain('runners of acme/web')
  })

  it('may hold pages one after the other, as gh api --paginate prints them, or an array of pages', async () => {
    const pages = [
      { total_count: 2, runners: [runner(7, { name: 'a"}{' })] },
      { total_count: 2, runners: [runner(8)] },
    ]
    const following = await file('f.json', `${pages.map((page) => JSON.stringify(page)).join('')}\n`)
    const slurped = await file('s.json', JSON.stringify(pages, null, 2))
    for (const path of [following, slurped]) {
      const { facts } = await read({ runners: [{ scope: null, path }] })
      expect(facts.runners.items.map(({ id }) => id)).toEqual([7, 8])
      expect(isWhole(facts.runners)).toBe(true)
    }
  })
})

describe('a file of jobs', () => {
  it('has steps in their order, commit, attempt and runner, and never stands for all jobs', async () => {
    const path = await file('j.json', JSON.stringify({ total_count: 1, jobs: [job(87)] }))
    const { facts } = await read({ jobs: [path] })
    expect(facts.jobs.items[0]).toMatchObject({
      repository: 'acme/web',
      jobId: 87,
      runAttempt: 2,
      headSha: 'a'.repeat(40),
      runnerName: 'linux-7',
      steps: [{ name: 'Set up job' }, { name: 'Run tests', conclusion: 'failure' }],
    })
    expect(facts.jobs.unread.map(({ what }) => what)).toEqual(['jobs of other runs'])
  })

  it('is narrowed to the repositories that are asked for', async () => {
    const other = job(88, { url: 'https://api.github.com/repos/acme/api/actions/jobs/88' })
    const path = await file('j.json', JSON.stringify({ total_count: 2, jobs: [job(87), other] }))
    const { facts } = await read({ jobs: [path] }, { repositories: ['Acme/API'] })
    expect(facts.jobs.items.map(({ jobId }) => jobId)).toEqual([88])
  })

  it('gives a queued job neither runner nor start, as GitHub writes both', async () => {
    const queued = job(87, { status: 'queued', conclusion: null, runner_id: 0, runner_name: '' })
    const path = await file('j.json', JSON.stringify([queued]))
    const { facts } = await read({ jobs: [path] })
    expect(facts.jobs.items[0]).toMatchObject({ runnerName: null, runnerId: null, startedAt: null })
  })
})

describe('a file that is not as expected', () => {
  it.each([
    ['', 'an empty file'],
    ['<html>', 'in the document at character 0'],
    ['{"total_count":1,"runners":[]}{"total', 'in the document at character 30'],
    ['{"message":"Not Found","status":"404"}', 'GitHub\'s refusal "Not Found"'],
    ['{"jobs":[]}', 'an object with ["jobs"]'],
    ['"text"', '"text"'],
    ['{"total_count":1,"runners":[{"id":"7"}]}', 'expected number, received string'],
  ])('%j says its path, the expected and the got', async (text, got) => {
    const path = await file('r.json', text)
    await expect(read({ runners: [{ scope: null, path }] })).rejects.toMatchObject({
      code: 'E_FORGE_FILE',
      params: { file: path, got: expect.stringContaining(got) },
    })
  })

  it('names the place of a wrong field', async () => {
    const path = await file('j.json', JSON.stringify({ jobs: [job(1), job(2, { status: 'odd' })] }))
    await expect(read({ jobs: [path] })).rejects.toThrow("GitHub's documented fields at jobs.1.status")
  })

  it('that does not exist is named', async () => {
    const path = join(folder, 'none.json')
    await expect(read({ jobs: [path] })).rejects.toThrow(`${path} is not as expected`)
  })
})

describe('no file of runners', () => {
  it('is no empty list: runners are unread, also where no scope is asked for', async () => {
    const { facts } = await read({}, { scopes: [] })
    expect(facts.runners.unread).toMatchObject([{ what: 'runners', why: 'no file was given' }])
  })
})
