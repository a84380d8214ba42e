import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'
import { type FakeGitea, fakeGitea } from './testing/fake-gitea.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
const value = (source: string) => `$\{{ ${source} }}`
const patience = { timeout: 10_000 }

describe('the runner', () => {
  it('runs the steps in order, reports how each ended, and sends the whole log', async () => {
    const steps = [
      { run: `echo ${value('matrix.os')} $A; pwd` },
      { run: 'mkdir made; exit 3', 'continue-on-error': true },
      { run: 'ls; exit 4' },
      { run: 'echo never' },
      { run: 'echo at last', if: 'always()' },
    ]
    const job = { steps, env: { A: 'b' }, strategy: { matrix: { os: ['linux'] } } }
    const { gitea, ended, folder } = await run({ build: job })
    expect(await ended).toBe(0)
    const text = gitea.log.map(({ content }) => content)
    expect(text[1]).toBe('linux b')
    expect(text).toEqual(
      expect.arrayContaining(['made', 'at last', 'Error: Process completed with exit code 4.']),
    )
    expect(text).not.toContain('never')
    expect(gitea.isLogWhole).toBe(true)
    const last = gitea.states.at(-1)
    expect(last?.result).toBe('RESULT_FAILURE')
    expect(last?.steps.map(({ result }) => result?.replace('RESULT_', ''))).toEqual([
      ...['SUCCESS', 'FAILURE', 'FAILURE', 'SKIPPED', 'SUCCESS'],
    ])
    const [first] = last?.steps ?? []
    expect(text.slice(first?.logIndex, (first?.logIndex ?? 0) + (first?.logLength ?? 0))).toContain('linux b')
    expect(readdirSync(path.join(folder, '_work'))).toEqual([])
  })

  it('unlinks its credentials before it asks for anything', async () => {
    const { gitea, file, ended } = await run({ build: { steps: [{ run: 'true' }] } })
    await gitea.until(() => gitea.states.length > 0)
    expect(existsSync(file)).toBe(false)
    expect(await ended).toBe(0)
  })

  it('refuses a task that it does not understand, and writes the reason into the log', async () => {
    const { gitea, ended } = await run({ build: { steps: [{ uses: 'actions/checkout@v4' }] } })
    expect(await ended).toBe(0)
    expect(gitea.log.map(({ content }) => content).join('\n')).toMatch(/does not do that: steps\[0\]: uses/)
    expect(gitea.states.at(-1)).toMatchObject({ result: 'RESULT_FAILURE' })
  })

  it('shows no secret, neither to Gitea nor on its own output', async () => {
    const run1 = `echo ${value('secrets.WORD')}; echo "::add-mask::mine"; echo mine`
    const { gitea, ended, output } = await run(
      { build: { steps: [{ run: run1 }] } },
      { secrets: { WORD: 'hush' } },
    )
    expect(await ended).toBe(0)
    const all = `${output()}\n${gitea.log.map(({ content }) => content).join('\n')}`
    expect(all).not.toMatch(/hush|^mine$/m)
    expect(all).toContain('***')
  })

  it('ends the steps and all that they started when Gitea ends the job', async () => {
    const script = 'sleep 300 & echo $! > pid; echo $$ >> pid; echo up; wait'
    const { gitea, folder, ended, pids } = await run({ build: { steps: [{ run: script }] } })
    await gitea.until(() => gitea.log.some(({ content }) => content === 'up'))
    const started = pids(folder)
    expect(started).toHaveLength(2)
    gitea.cancel()
    expect(await ended).toBe(0)
    for (const pid of started) await expect.poll(() => isAlive(pid), patience).toBe(false)
  })

  it('goes on through answers that are lost or refused, and no line is lost or repeated', async () => {
    const script = 'for n in 1 2 3 4 5 6; do echo $n; sleep 0.4; done'
    const { gitea, ended } = await run({ build: { steps: [{ run: script }] } }, {}, (fake) => {
      fake.faults.UpdateLog = ['lost', 'refused', 'lost']
      fake.faults.UpdateTask = ['refused', 'lost']
      fake.faults.Declare = ['refused', 'lost']
    })
    expect(await ended).toBe(0)
    const lines = gitea.log.map(({ content }) => content).filter((line) => /^\d$/.test(line))
    expect(lines).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(gitea.states.at(-1)).toMatchObject({ result: 'RESULT_SUCCESS' })
  })

  it('counts a result as reported although the answer to the report was lost', async () => {
    const { gitea, ended } = await run({ build: { steps: [{ run: 'true' }] } }, {}, (fake) => {
      fake.faults.UpdateTask = ['lost', 'lost']
    })
    expect(await ended).toBe(0)
    expect(gitea.states.filter(({ result }) => result !== undefined)).toHaveLength(1)
  })

  it('stops with its steps on SIGTERM, and reports that the job was cancelled', async () => {
    const { gitea, ended, child } = await run({ build: { steps: [{ run: 'echo up; sleep 300' }] } })
    await gitea.until(() => gitea.log.some(({ content }) => content === 'up'))
    child.kill('SIGTERM')
    expect(await ended).toBe(143)
    expect(gitea.states.at(-1)).toMatchObject({ result: 'RESULT_CANCELLED' })
  })

  it('fails a step that takes longer than it may', async () => {
    const { gitea, ended } = await run({
      build: { steps: [{ run: 'sleep 300', 'timeout-minutes': '0.01' }] },
    })
    expect(await ended).toBe(0)
    expect(gitea.states.at(-1)).toMatchObject({ result: 'RESULT_FAILURE' })
    expect(gitea.log.some(({ content }) => /took longer than 0.01 minutes/.test(content))).toBe(true)
  })

  it('ends at once where Gitea does not know it', async () => {
    const { ended, output } = await run({ build: {} }, {}, (fake) => fake.cancel())
    expect(await ended).toBe(1)
    expect(output()).toMatch(/unregistered runner/)
  })

  it('exits with 64 and the reason where its credentials cannot be read', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'jit')
    writeFileSync(file, 'not credentials')
    const { ended, output } = start(folder.path, file)
    expect(await ended).toBe(64)
    expect(output()).toMatch(/expected the credentials of a runner/)
  })
})

async function run(jobs: object, more: object = {}, prepare: (gitea: FakeGitea) => void = () => {}) {
  const gitea = untilTestEnds(await fakeGitea(jobs, more))
  prepare(gitea)
  const folder = untilTestEnds(await temporaryFolder())
  const file = path.join(folder.path, 'jit')
  writeFileSync(file, gitea.credentials)
  return { gitea, file, folder: folder.path, pids, ...start(folder.path, file) }
}

function start(folder: string, file: string) {
  const child: ChildProcess = spawn(process.execPath, [program, '--jitconfig-file', file], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  untilTestEnds({
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  })
  return { child, ended, output: () => text }
}

/** The process ids that the script wrote into the job's folder. */
function pids(folder: string): number[] {
  const found = spawnedFile(folder)
  return readFileSync(found, 'utf8').trim().split('\n').map(Number)
}

function spawnedFile(folder: string): string {
  const work = path.join(folder, '_work')
  const [job = ''] = readdirSync(work)
  return path.join(work, job, 'work', 'pid')
}

/** A process that ended and was not collected by its parent is dead too. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
