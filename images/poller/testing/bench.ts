import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { type ScriptedServer, type Step, scriptedServer } from './server.ts'
import { openShell, type Shell, type ShellName } from './shells.ts'

export const podToken = 'eyJhbGciOi.the-token_of.this-pod'
export const jit = 'dGhlIHJ1bm5lciBjb25maWd1cmF0aW9u+/=='
export const attempt = '0b8f6a0e-6f53-4f5c-9a0c-0e4d3f6f7a11'
export const job = {
  status: 200,
  body: { attempt: attempt, jit: jit, job: { id: 7, url: 'http://holdfast.example/jobs/7' } },
}
export const acknowledged = { status: 200, body: { acknowledged: true } }

interface Ended {
  readonly code: number | null
  readonly output: string
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  output(): string
}

export interface PollerBench {
  readonly folder: string
  readonly jitDir: string
  readonly server: ScriptedServer
  readonly shell: Shell
  start(env?: Record<string, string>, args?: readonly string[]): Started
  /** Runs it to its end on these answers. */
  poll(steps: readonly Step[], env?: Record<string, string>, args?: readonly string[]): Promise<Ended>
  writeToken(token: string): void
}

const images = fileURLToPath(new URL('../../', import.meta.url))
const poller = path.join(images, 'poller', 'poller.sh')

/**
 * For tests: the poller under a shell, with a server that gives the answers of a script, until the test ends. The
 * poller's scripts are where they are in the sources, or together as in its image.
 */
export async function pollerBench(
  shellName: ShellName,
  scripts: 'sources' | 'image' = 'sources',
): Promise<PollerBench> {
  const folder = untilTestEnds(await temporaryFolder('holdfast-poller-sh-')).path
  const script = scripts === 'sources' ? poller : copyAsInImage(folder)
  const server = untilTestEnds(await scriptedServer())
  const shell = openShell(shellName, folder)
  const jitDir = path.join(folder, 'jit')
  const tokenFile = path.join(folder, 'token')
  for (const name of ['jit', 'work']) mkdirSync(path.join(folder, name))
  writeFileSync(tokenFile, podToken)
  const settings = {
    HOLDFAST_URL: `${server.url}/`,
    HOLDFAST_RUNNER: 'linux-1',
    HOLDFAST_POOL: 'linux',
    HOLDFAST_TOKEN_FILE: tokenFile,
    HOLDFAST_JIT_DIR: jitDir,
    HOLDFAST_POLL_MS: '30000',
    HOLDFAST_NODE: 'node-1',
    HOLDFAST_POD_UID: 'uid-1',
    HOLDFAST_IMAGE: 'registry.example/runner:1',
  }
  const start: PollerBench['start'] = (env = {}, args = []) => {
    const [program = '', ...first] = shell.command
    const child = spawn(program, [...first, script, ...args], {
      cwd: path.join(folder, 'work'),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: shell.path, ...settings, ...env },
      detached: true,
    })
    return watched(child)
  }
  return {
    folder,
    jitDir,
    server,
    shell,
    start,
    poll(steps, env, args) {
      server.steps.push(...steps)
      return start(env, args).ended
    },
    writeToken: (token) => writeFileSync(tokenFile, token),
  }
}

function copyAsInImage(folder: string): string {
  for (const name of ['poller/poller.sh', 'poller/run', 'vitals/vitals.sh']) {
    cpSync(path.join(images, name), path.join(folder, 'holdfast', path.basename(name)))
  }
  return path.join(folder, 'holdfast', 'poller.sh')
}

/** For tests: a process whose output is kept, and that does not outlive the test. It leads a group of its own. */
export function watched(child: ChildProcess): Started {
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const output = () => Buffer.concat(chunks).toString()
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, output: output() }))
  })
  onTestFinished(async () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // All of its group have ended.
    }
    await ended
  })
  return { child, ended, output }
}
