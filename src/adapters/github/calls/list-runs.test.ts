import { describe, expect, it } from 'vitest'
import { github, routed, type Seen } from '../../../../test/contract/github/answering.ts'

const never = new AbortController().signal
const runs = '/repos/acme/shop/actions/runs'
const start = Date.UTC(2026, 0, 1)
const asked = { installation: 'gh', since: start, settledRuns: new Set<number>() }

/** GitHub shows the newest thousand matches; here all runs are completed and have no jobs. */
async function withRuns(times: readonly number[]) {
  const all = times.map((at, n) => ({ id: n + 1, status: 'completed', created_at: iso(at) })).reverse()
  const seen: Seen[] = []
  const list = ({ url = '' }) => {
    const query = new URL(url, 'http://forge').searchParams
    const created = query.get('created') ?? ''
    const until = /(?:\.\.|<=)(.+)$/.exec(created)?.[1] ?? '9999'
    const fitting = query.has('status') ? [] : all.filter((run) => run.created_at <= until)
    const page = Number(query.get('page'))
    const shown = fitting.slice(0, 1000).slice((page - 1) * 100, page * 100)
    return [200, { total_count: fitting.length, workflow_runs: shown }] as const
  }
  const listener = routed({ '/user/repos': [200, [{ id: 1, full_name: 'acme/shop' }]], [runs]: list }, seen)
  const { forge } = await github((request, response) => {
    if (!request.url?.includes('/jobs?')) return listener(request, response)
    seen.push({ route: `GET ${request.url.split('?')[0]}`, url: request.url, headers: {}, body: '' })
    response.end('{"total_count":0,"jobs":[]}')
  })
  const read = () => seen.filter(({ route }) => route.endsWith('/jobs')).map(({ route }) => route)
  return { forge, read }
}

describe('a list of more runs than GitHub shows', () => {
  it('is read in parts, down to the oldest', async () => {
    const { forge, read } = await withRuns(Array.from({ length: 2_345 }, (_, n) => start + n * 1000))
    await forge.listJobs(asked, never)
    expect(new Set(read()).size).toBe(2_345)
  })

  it('is refused, not read in part, where too many runs began in one second', async () => {
    const { forge } = await withRuns(Array.from({ length: 1_100 }, () => start))
    await expect(forge.listJobs(asked, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })
})

function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}
