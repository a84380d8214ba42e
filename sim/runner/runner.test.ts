import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../test/support/temporary.ts'
import { lostCommunication } from '../forge/core/index.ts'
import { type SimulatedForge, startSimulatedForge } from '../forge/http/index.ts'
import { machineClock, machineEntropy } from '../forge/machine.ts'
import { type ForgeCalls, forgeCalls, silentLog, token, webhookSecret } from '../forge/testing/kit.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
/** Long enough that a busy machine does not make a healthy runner look dead. */
const delays = { renewEveryMs: 100, offlineAfterMs: 1_000, lostAfterMs: 2_500, pollHoldMs: 2_000 }
const patience = { timeout: 15_000 }

let folder: TemporaryFolder
let forge: SimulatedForge
let calls: ForgeCalls

beforeEach(async () => {
  folder = await temporaryFolder()
  forge = await startForge(0)
  calls = forgeCalls(forge.url)
  await calls.send('POST', '/_sim/repositories', { repository: 'acme/shop' })
})
afterEach(async () => {
  await forge.close()
  await folder[Symbol.asyncDispose]()
})

describe("the runner's program", () => {
  it('runs its job, reports success and leaves nothing behind', async () => {
    const script = 'echo "in $(pwd) for $GITHUB_REPOSITORY"; echo "secret: [$SECRET_OF_HOST]"; sleep 0.3'
    const id = await calls.submit({ script })
    const runner = await startRunner('r-1')
    expect(await runner.ended).toEqual({ code: 0, signal: null })
    expect(await job(id)).toMatchObject({ conclusion: 'success', starts: [{ runnerName: 'r-1' }] })
    expect(runner.output()).toMatch(/Running job: build\nin \/\S+\/work for acme\/shop\nsecret: \[\]\n/)
    expect(runner.output()).toContain('completed with result: Succeeded')
    expect((await calls.send('GET', `/_sim/jobs/${id}/log`)).body).toContain('for acme/shop')
    expect(existsSync(runner.jitFile)).toBe(false)
    expect(readdirSync(runner.workFolder)).toEqual([])
  })

  it('prints the lines that a launcher left for the log of the job', async () => {
    const info = [{ group: 'Holdfast runner', detail: 'Pool: linux\nJob: http://holdfast/jobs/7' }]
    writeFileSync(path.join(folder.path, '.setup_info'), JSON.stringify(info))
    const id = await calls.submit({ script: 'echo began' })
    await (await startRunner('r-1')).ended
    const log = (await calls.send('GET', `/_sim/jobs/${id}/log`)).body
    const lines = ['##[group]Holdfast runner', 'Pool: linux', 'Job: http://holdfast/jobs/7', '##[endgroup]']
    expect(log).toContain([...lines, 'began'].join('\n'))
  })

  it('reports a script that fails at its first failing line', async () => {
    const id = await calls.submit({ script: 'echo before\nfalse\necho after' })
    const runner = await startRunner('r-1')
    expect((await runner.ended).code).toBe(0)
    expect((await job(id))?.conclusion).toBe('failure')
    expect(runner.output()).toContain('before')
    expect(runner.output()).not.toContain('after')
  })

  it('ends the background processes that the script left', async () => {
    const id = await calls.submit({ script: 'sleep 600 & echo "child $!"' })
    const runner = await startRunner('r-1')
    await runner.ended
    expect((await job(id))?.conclusion).toBe('success')
    await gone(pidIn(runner.output()))
  })

  it('ends its script on SIGTERM, reports it as cancelled and exits with 143', async () => {
    const id = await calls.submit({ script: 'echo "child $$"; sleep 600' })
    const runner = await startRunner('r-1')
    await runner.says(/child \d+/)
    runner.child.kill('SIGTERM')
    expect((await runner.ended).code).toBe(143)
    expect(await job(id)).toMatchObject({ conclusion: 'cancelled', ends: [{ cause: 'reported' }] })
    await gone(pidIn(runner.output()))
  })

  it('exits with 143 on SIGTERM while it waits for a job', async () => {
    const runner = await startRunner('r-1')
    await runner.says(/Listening for Jobs/)
    runner.child.kill('SIGTERM')
    expect((await runner.ended).code).toBe(143)
  })

  it('makes its job fail with lost communication when it is killed', async () => {
    const id = await calls.submit({ script: 'echo "child $$"; sleep 600' })
    const runner = await startRunner('r-1')
    await runner.says(/child \d+/)
    runner.child.kill('SIGKILL')
    await runner.ended
    process.kill(-pidIn(runner.output()), 'SIGKILL') // its host's part
    expect((await job(id))?.status).toBe('in_progress')
    await expect
      .poll(() => job(id), patience)
      .toMatchObject({
        conclusion: 'failure',
        ends: [{ cause: 'lost-communication' }],
      })
    const notes = await calls.send('GET', `/repos/acme/shop/check-runs/${id}/annotations`)
    expect(notes.body).toMatchObject([{ message: lostCommunication }])
  })

  it('ends its script when the forge has given it up meanwhile', async () => {
    const id = await calls.submit({ script: 'echo "child $$"; sleep 600' })
    const runner = await startRunner('r-1')
    await runner.says(/child \d+/)
    runner.child.kill('SIGSTOP')
    await expect.poll(() => job(id), patience).toMatchObject({ conclusion: 'failure' })
    runner.child.kill('SIGCONT')
    expect((await runner.ended).code).toBe(1)
    expect(runner.output()).toContain('not assigned to this runner any more')
    await gone(pidIn(runner.output()))
    expect((await calls.truth()).overlaps).toEqual([])
  })

  it('ends its script and exits cleanly when the job is cancelled', async () => {
    const id = await calls.submit({ script: 'echo "child $$"; sleep 600' })
    const runner = await startRunner('r-1')
    await runner.says(/child \d+/)
    await calls.send('POST', `/_sim/jobs/${id}/cancel`)
    expect((await runner.ended).code).toBe(0)
    expect(runner.output()).toContain('completed with result: Canceled')
    await gone(pidIn(runner.output()))
  })

  it('exits with 5 when its configuration was used before', async () => {
    const { jit } = await calls.mint('r-1')
    await calls.connect(jit, 'another program')
    const runner = runnerWith(jit)
    expect((await runner.ended).code).toBe(5)
    expect(runner.output()).toContain('A session for this runner already exists.')
  })

  it('exits with 1 when its registration was removed', async () => {
    const { jit, id } = await calls.mint('r-1')
    const runner = runnerWith(jit)
    await runner.says(/Listening for Jobs/)
    await calls.send('DELETE', `/repos/acme/shop/actions/runners/${id}`)
    expect((await runner.ended).code).toBe(1)
    expect(runner.output()).toContain('registration has been deleted')
  })

  it('reports its result to a forge that was away when the script ended', async () => {
    const [go, done] = [path.join(folder.path, 'go'), path.join(folder.path, 'done')]
    const script = `echo started; until [ -e ${go} ]; do sleep 0.05; done; touch ${done}`
    const id = await calls.submit({ script })
    const runner = await startRunner('r-1')
    await runner.says(/^started/m)
    await forge.close()
    writeFileSync(go, '')
    await expect.poll(() => existsSync(done), patience).toBe(true)
    expect(runner.child.exitCode).toBeNull()
    forge = await startForge(forge.port)
    expect((await runner.ended).code).toBe(0)
    expect((await job(id))?.conclusion).toBe('success')
  })

  it('names the error in its arguments or its configuration', async () => {
    const bare = runRunner([])
    expect((await bare.ended).code).toBe(64)
    expect(bare.output()).toContain('--jitconfig-file: expected a path')
    const broken = runnerWith('not a configuration')
    expect((await broken.ended).code).toBe(64)
    expect(broken.output()).toContain('expected a runner configuration')
  })
})

async function job(id: number) {
  return (await calls.truth()).jobs.find((each) => each.id === id)
}

async function startRunner(name: string) {
  return runnerWith((await calls.mint(name)).jit)
}

function runnerWith(jit: string) {
  const jitFile = path.join(folder.path, 'jitconfig')
  const workFolder = path.join(folder.path, 'work')
  writeFileSync(jitFile, jit, { mode: 0o600 })
  return { ...runRunner(['--jitconfig-file', jitFile, '--work-folder', workFolder]), jitFile, workFolder }
}

function runRunner(args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    cwd: folder.path,
    env: { ...process.env, SECRET_OF_HOST: 'visible' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      for (const look of [...waiting]) look()
    })
  }
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  const says = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!pattern.test(text)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return { child, ended, says, output: () => text }
}

function pidIn(output: string): number {
  const pid = Number(/child (\d+)/.exec(output)?.[1])
  if (!(pid > 1)) throw new Error(`no pid in: ${output}`)
  return pid
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), patience).toBe(false)
}

/** A process that ended and was not collected by its parent is dead too. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function startForge(port: number): Promise<SimulatedForge> {
  return startSimulatedForge({
    folder: path.join(folder.path, 'forge'),
    port,
    token,
    webhookUrl: null,
    webhookSecret,
    delays,
    clock: machineClock,
    entropy: machineEntropy,
    log: silentLog,
  })
}
