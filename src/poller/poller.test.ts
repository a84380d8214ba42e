import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pollerCommand } from './index.ts'

const secret = 'the-secret-of-this-runner'
const jit = 'the-runner-configuration'
const attempt = '0b8f6a0e-6f53-4f5c-9a0c-0e4d3f6f7a11'
const job = {
  status: 200,
  body: { attempt: attempt, jit: jit, job: { id: 7, url: 'http://holdfast/jobs/7' } },
}
const acknowledged = { status: 200, body: { acknowledged: true } }

interface Scripted {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
/** `lost`: received, and the connection ends without an answer. `cut`: it ends within the answer. */
type Step = Scripted | 'lost' | 'cut' | 'silent'

interface ReceivedRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: unknown
  readonly at: number
}

let folder: string
let server: Server
let received: ReceivedRequest[]
let steps: Step[]
let onReceived: (count: number) => void
let cache: string
const children: ChildProcess[] = []

beforeAll(async () => {
  cache = await mkdtemp(path.join(os.tmpdir(), 'holdfast-poller-cache-'))
})
afterAll(() => rm(cache, { recursive: true, force: true }))

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holdfast-poller-'))
  received = []
  steps = []
  onReceived = () => undefined
  server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = JSON.parse(Buffer.concat(chunks).toString())
  received.push({
    path: request.url ?? '',
    authorization: request.headers.authorization,
    body,
    at: Date.now(),
  })
  onReceived(received.length)
  const step = steps.shift() ?? { status: 410 }
  if (step === 'silent') return
  if (step === 'lost') return void request.socket.destroy()
  if (step === 'cut') {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"attempt":', () => request.socket.destroy())
    return
  }
  const text =
    typeof step.body === 'string' ? step.body : step.body === undefined ? '' : JSON.stringify(step.body)
  response.writeHead(step.status, step.headers ?? {}).end(text)
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Starts the real program; its runner is a shell script that gets its arguments. */
async function startPoller(
  script: string,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; ended: Promise<Ended> }> {
  const port = (server.address() as AddressInfo | null)?.port ?? 0
  const work = path.join(folder, 'work')
  await mkdir(work, { recursive: true })
  await writeFile(path.join(folder, 'secret'), `${secret}\n`, { mode: 0o600 })
  const made = pollerCommand({
    url: `http://127.0.0.1:${port}/`,
    runnerCommand: ['/bin/sh', '-c', script, 'runner'],
    pollMs: 30_000,
    cacheFolder: cache,
  })
  const [program, ...args] = made.command
  const child = spawn(program ?? '', args, {
    cwd: work,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...made.env,
      HOLDFAST_RUNNER: 'pool-1',
      HOLDFAST_HOST: 'host-1',
      HOLDFAST_SECRET_FILE: path.join(folder, 'secret'),
      ...env,
    },
  })
  children.push(child)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }))
  })
  return { child, ended }
}

async function poll(
  given: readonly Step[],
  script = 'exit 99',
  env: Record<string, string> = {},
): Promise<Ended> {
  steps = [...given]
  return (await startPoller(script, env)).ended
}

const paths = () => received.map((request) => request.path)
const receivedRequests = (count: number) =>
  new Promise<void>((resolve) => {
    onReceived = (now) => {
      if (now === count) resolve()
    }
  })

describe('the poller', () => {
  it('asks with its secret, acknowledges, runs the runner and ends as it does', async () => {
    const script = 'echo "$1 $(stat -c %a "$2")"; cat "$2" > seen; rm "$2"; exit 7'
    const { code, output } = await poll([{ status: 204 }, job, acknowledged], script)
    expect(code).toBe(7)
    expect(output).toContain('--jitconfig-file 600')
    expect(await readFile(path.join(folder, 'work/seen'), 'utf8')).toBe(jit)
    expect(received).toMatchObject([
      { path: '/v1/dispatch', authorization: `Bearer ${secret}`, body: { runner: 'pool-1' } },
      { path: '/v1/dispatch', authorization: `Bearer ${secret}`, body: { runner: 'pool-1' } },
      {
        path: '/v1/dispatch/ack',
        authorization: `Bearer ${secret}`,
        body: { runner: 'pool-1', attempt: attempt },
      },
    ])
  })

  it('hides its secret, the configuration and its own settings from the runner', async () => {
    const script = 'env; tr "\\0" " " < /proc/self/cmdline; ls "$(dirname "$2")"'
    const { output } = await poll([job, acknowledged], script, { KEPT: 'kept' })
    expect(output).not.toContain(secret)
    expect(output).not.toContain(jit)
    expect(output.match(/^HOLDFAST_\w+/gm)?.sort()).toEqual(['HOLDFAST_HOST', 'HOLDFAST_RUNNER'])
    expect(output).not.toContain('NODE_COMPILE_CACHE')
    expect(output).toContain('KEPT=kept')
    expect(output).toContain('jitconfig\nwork\n') // the secret's file is gone before anything runs
  })

  it.runIf(process.getuid?.() === 0)(
    'runs it as another user where configured, with nothing of its own environment',
    async () => {
      const uid = 58_711
      const home = path.join(folder, 'home')
      await chmod(folder, 0o711)
      for (const each of [home, path.join(home, 'work')]) {
        await mkdir(each, { mode: 0o700 })
        await chown(each, uid, uid)
      }
      const through = [
        'setpriv',
        `--reuid=${uid}`,
        `--regid=${uid}`,
        '--clear-groups',
        '--no-new-privs',
        '--',
      ]
      const env = { HOLDFAST_RUN_AS: JSON.stringify({ uid, home, through }), KEPT: 'kept' }
      const script = 'env; id; pwd; cat "$2"; rm "$2"; ls -a "$(dirname "$(dirname "$2")")"; exit 7'
      const { code, output } = await poll([job, acknowledged], script, env)
      expect(code).toBe(7)
      expect(output).toContain(`uid=${uid} gid=${uid} groups=${uid}`)
      expect(output).toContain(`${home}/work\n${jit}`)
      expect(output).toContain(`HOME=${home}\n`)
      expect(output).not.toMatch(/^HOLDFAST_|^KEPT|^NODE_/m)
      expect(output).toContain('Permission denied') // its own folder is not listed
    },
  )

  it('removes the configuration that its runner left', async () => {
    await poll([job, acknowledged], 'exit 0')
    await expect(stat(path.join(folder, 'jitconfig'))).rejects.toThrow('ENOENT')
  })

  it('exits like a shell where a signal ended its runner', async () => {
    expect((await poll([job, acknowledged], 'kill -SEGV $$')).code).toBe(139)
  })

  it('ends with 127 where the runner does not exist', async () => {
    const env = { HOLDFAST_RUNNER_COMMAND: '["/nowhere/runner"]' }
    const { code, output } = await poll([job, acknowledged], '', env)
    expect(code).toBe(127)
    expect(output).toContain('/nowhere/runner')
  })

  it('leaves when Holdfast asks it to, without running anything', async () => {
    expect(await poll([{ status: 410 }])).toMatchObject({ code: 0 })
    expect(paths()).toEqual(['/v1/dispatch'])
  })

  it.each([401, 403])('stops with 78 and a clear line when it is refused with %i', async (status) => {
    const { code, output } = await poll([{ status }])
    expect(code).toBe(78)
    expect(output).toContain(`refused this runner (${status})`)
    expect(output).not.toContain(secret)
  })

  it('retries after lost, truncated and invalid answers', async () => {
    const odd: Step[] = [
      'lost',
      'cut',
      { status: 503 },
      { status: 200, body: 'not json' },
      { status: 200, body: { jit: jit } },
      { status: 404 },
    ]
    const withRests = odd.flatMap((step): Step[] => [step, { status: 204 }]) // the back-off is reset
    const { code, output } = await poll([...withRests, job, acknowledged], 'exit 5')
    expect(code).toBe(5)
    expect(received).toHaveLength(14)
    expect(output).not.toContain(jit)
  })

  it('repeats a lost acknowledgement until it is answered, and runs once', async () => {
    const script = 'echo ran >> count; exit 5'
    expect((await poll([job, 'lost', { status: 500 }, acknowledged], script)).code).toBe(5)
    expect(paths()).toEqual(['/v1/dispatch', ...Array.from({ length: 3 }, () => '/v1/dispatch/ack')])
    expect(await readFile(path.join(folder, 'work/count'), 'utf8')).toBe('ran\n')
  })

  it('does not run a job that it lost meanwhile', async () => {
    const { code } = await poll([job, 'lost', { status: 410 }], 'echo ran > count')
    expect(code).toBe(0)
    await expect(stat(path.join(folder, 'work/count'))).rejects.toThrow('ENOENT')
  })

  it('waits as long as the server asks', async () => {
    await poll([{ status: 429, headers: { 'retry-after': '1' } }, { status: 410 }])
    const [first, second] = received
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  })

  it('goes on when Holdfast is away and comes back', async () => {
    const { port } = server.address() as AddressInfo
    steps = [job, acknowledged]
    await new Promise((resolve) => server.close(resolve))
    const { child, ended } = await startPoller('exit 5', { HOLDFAST_URL: `http://127.0.0.1:${port}` })
    await new Promise((resolve) => child.stderr?.once('data', resolve)) // it has logged that nobody answers
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const { code, output } = await ended
    expect(code).toBe(5)
    expect(output).toContain('ECONNREFUSED')
  })

  it('passes a stop on to its runner once, and ends as that does', async () => {
    steps = [job, acknowledged]
    const script = 'trap "echo stopped >> count; exit 9" TERM; echo > ready; while :; do sleep 0.02; done'
    const { child, ended } = await startPoller(script)
    const ready = path.join(folder, 'work/ready')
    while (
      !(await stat(ready).then(
        () => true,
        () => false,
      ))
    )
      await new Promise((resolve) => setTimeout(resolve, 10))
    child.kill('SIGTERM')
    expect((await ended).code).toBe(9)
    expect(await readFile(path.join(folder, 'work/count'), 'utf8')).toBe('stopped\n')
  })

  it('ends at once on a stop while it waits for a job', async () => {
    steps = ['silent']
    const asked = receivedRequests(1)
    const { child, ended } = await startPoller('exit 99')
    await asked
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
  })

  it('runs nothing on a stop between the job and its acknowledgement', async () => {
    steps = [job, 'silent']
    const asked = receivedRequests(2)
    const { child, ended } = await startPoller('echo ran > count')
    await asked
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
    await expect(stat(path.join(folder, 'work/count'))).rejects.toThrow('ENOENT')
  })

  it.each([
    ['HOLDFAST_URL', 'ftp://x'],
    ['HOLDFAST_RUNNER', ''],
    ['HOLDFAST_RUNNER_COMMAND', '"sh"'],
    ['HOLDFAST_POLL_MS', 'soon'],
    ['HOLDFAST_RUN_AS', '{"uid":1}'],
    ['HOLDFAST_SECRET_FILE', '/nowhere/secret'],
  ])('names the problem with %s, and sends no request', async (name, value) => {
    const { code, output } = await poll([], 'exit 99', { [name]: value })
    expect(code).toBe(78)
    expect(output).toContain(name === 'HOLDFAST_SECRET_FILE' ? '/nowhere/secret' : name)
    expect(received).toEqual([])
  })
})
