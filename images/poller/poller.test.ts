import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { acknowledged, attempt, jit, job, podToken, pollerBench } from './testing/bench.ts'
import { descendants } from './testing/processes.ts'
import type { Step } from './testing/server.ts'
import { underEachShell } from './testing/shells.ts'

const modeOf = (file: string) => (statSync(file).mode & 0o7777).toString(8)

underEachShell('the poller under', (shell) => {
  it('asks with its token, acknowledges, stages the configuration and ends with 0', async () => {
    const { poll, server, jitDir } = await pollerBench(shell)
    const { code, output } = await poll([{ status: 204 }, job, acknowledged])
    expect(output).toBe('holdfast poller: job 7 is staged\n')
    expect(code).toBe(0)
    const asked = { authorization: `Bearer ${podToken}`, type: 'application/json' }
    expect(server.requests).toMatchObject([
      { path: '/v1/dispatch', body: { runner: 'linux-1' }, ...asked },
      { path: '/v1/dispatch', body: { runner: 'linux-1' }, ...asked },
      { path: '/v1/dispatch/ack', body: { runner: 'linux-1', attempt: attempt }, ...asked },
    ])
    expect(readFileSync(path.join(jitDir, 'jitconfig'), 'utf8')).toBe(jit)
    expect(readdirSync(jitDir).sort()).toEqual(['jitconfig', 'run', 'setup_info'])
    expect(['jitconfig', 'run', 'setup_info'].map((name) => modeOf(path.join(jitDir, name)))).toEqual([
      ...['400', '555', '444'],
    ])
  })

  it("says where the job runs in the form that GitHub's runner reads", async () => {
    const { poll, jitDir } = await pollerBench(shell)
    const env = { HOLDFAST_IMAGE: 'evil"},\n{"group":"\\u0007$(id)`', HOLDFAST_NODE: '' }
    await poll([job, acknowledged], env)
    const printed: unknown = JSON.parse(readFileSync(path.join(jitDir, 'setup_info'), 'utf8'))
    const detail = [
      ...['Pool: linux', 'Pod: linux-1 (uid-1)', 'Node: unknown'],
      ...['Image: evil??,???group?:??u0007?(id)?', 'Job: http://holdfast.example/jobs/7'],
    ]
    expect(printed).toEqual([{ group: 'Holdfast runner', detail: detail.join('\n') }])
  })

  it('does not ask hotter than four times a second where there is nothing', async () => {
    const { poll, server } = await pollerBench(shell)
    await poll([{ status: 204 }, { status: 204 }, { status: 410 }])
    expect((server.requests[2]?.at ?? 0) - (server.requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(500)
  })

  it('shows the token that stands in the file when it asks', async () => {
    const { poll, server, writeToken } = await pollerBench(shell)
    server.onRequest = (count) => writeToken(`token-${count}\n`)
    await poll([{ status: 204 }, job, acknowledged])
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([
      ...[`Bearer ${podToken}`, 'Bearer token-1', 'Bearer token-2'],
    ])
  })

  it('waits for a token that is not readable for a while', async () => {
    const { start, server, writeToken } = await pollerBench(shell)
    server.steps.push({ status: 204 }, job, acknowledged)
    server.onRequest = (count) => void (count === 1 && writeToken('first half\nsecond "half"'))
    const { child, ended } = start()
    child.stderr?.once('data', () => writeToken('whole')) // it has printed that it cannot read it
    const { code, output } = await ended
    expect(code).toBe(0)
    expect(output).toContain('HOLDFAST_TOKEN_FILE: got something else')
    expect(output).not.toContain('half')
    expect(server.requests[1]?.authorization).toBe('Bearer whole')
  })

  it('leaves when the server answers 410, with 10 and nothing staged', async () => {
    const { poll, server, jitDir } = await pollerBench(shell)
    expect(await poll([{ status: 410 }])).toMatchObject({ code: 10 })
    expect(server.requests).toHaveLength(1)
    expect(readdirSync(jitDir)).toEqual(['run'])
  })

  it.each([401, 403])('stops with 78 and a clear line when it is refused with %i', async (status) => {
    const { poll, jitDir } = await pollerBench(shell)
    const { code, output } = await poll([{ status }])
    expect(code).toBe(78)
    expect(output).toContain(`refused this runner (${status})`)
    expect(output).not.toContain(podToken)
    expect(readdirSync(jitDir)).toEqual(['run'])
  })

  it('asks again after lost and cut answers and when the server is not well', async () => {
    const { poll, server } = await pollerBench(shell)
    const odd: Step[] = ['lost', 'cut', { status: 500 }, { status: 503 }, { status: 404 }, { status: 302 }]
    const withRests = odd.flatMap((step): Step[] => [step, { status: 204 }]) // the back-off begins again
    const { code, output } = await poll([...withRests, job, acknowledged])
    expect(code).toBe(0)
    expect(server.requests).toHaveLength(14)
    expect(output).toContain('not usable, status 503; asking again in')
    expect(output).not.toContain(jit)
  })

  it('doubles its pauses while nothing is understood, each with some chance in it', async () => {
    const { poll, server } = await pollerBench(shell)
    const { output } = await poll(Array.from({ length: 4 }, () => ({ status: 500 })))
    const waits = [...output.matchAll(/again in (\d+) ms/g)].map(([, ms]) => Number(ms))
    const bounds = [200, 400, 800, 1_600]
    expect(waits).toHaveLength(4)
    for (const [at, ms] of waits.entries()) {
      expect(ms).toBeGreaterThanOrEqual((bounds[at] ?? 0) / 2)
      expect(ms).toBeLessThanOrEqual(bounds[at] ?? 0)
    }
    const [first, last] = [server.requests[0], server.requests[4]]
    expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(waits.reduce((sum, ms) => sum + ms, 0))
  })

  it('waits as long as the server asks, and not for a date', async () => {
    const { poll, server } = await pollerBench(shell)
    const dated = { status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' } }
    await poll([{ status: 429, headers: { 'Retry-After': '1' } }, dated, { status: 410 }])
    const at = server.requests.map(({ at }) => at)
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(1_000)
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeLessThan(15_000)
  })

  it('goes on when Holdfast is away and comes back', async () => {
    const { start, server } = await pollerBench(shell)
    server.steps.push(job, acknowledged)
    await server.close()
    const { child, ended } = start()
    await new Promise((resolve) => child.stderr?.once('data', resolve)) // it has printed that nobody answers
    await server.listen()
    const { code, output } = await ended
    expect(code).toBe(0)
    expect(output).toMatch(/dispatch: curl: \(7\) .*; asking again/)
  })

  it('repeats a lost acknowledgement until it is answered', async () => {
    const { poll, server } = await pollerBench(shell)
    expect((await poll([job, 'lost', { status: 500 }, acknowledged])).code).toBe(0)
    expect(server.requests.map((request) => request.path)).toEqual([
      '/v1/dispatch',
      ...Array.from({ length: 3 }, () => '/v1/dispatch/ack'),
    ])
  })

  it('does not stage what it lost meanwhile', async () => {
    const { poll, jitDir } = await pollerBench(shell)
    expect((await poll([job, 'lost', { status: 410 }])).code).toBe(10)
    expect(readdirSync(jitDir)).not.toContain('jitconfig')
  })

  it('has nothing for others to read before it is acknowledged', async () => {
    const { poll, server, jitDir } = await pollerBench(shell)
    const seen: string[][] = []
    server.onRequest = (count) => {
      if (count === 2) seen.push(readdirSync(jitDir), [modeOf(path.join(jitDir, '.poller'))])
    }
    await poll([job, acknowledged])
    expect(seen).toEqual([['.poller', 'run', 'setup_info'], ['700']])
  })

  it('shows its token to no process, in no argument and in no environment', async () => {
    const { start, server } = await pollerBench(shell)
    server.steps.push('silent')
    const { child } = start()
    await server.received(1)
    const all = descendants(child.pid ?? 0)
    expect(all.some(({ command }) => command.startsWith('curl'))).toBe(true)
    for (const { command, environment } of all) {
      expect(command).not.toContain(podToken)
      expect(environment).not.toContain(podToken)
    }
  })
})
