import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/holdfast', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
}

/** Starts a command with a data folder of its own, the rights of a kubeconfig and a forge. */
export function start(dataDir: string, url: string, kubeconfig: string, ...args: readonly string[]): Running {
  const dashes = args.indexOf('--')
  const connected = args.toSpliced(dashes === -1 ? args.length : dashes, 0, '--kubeconfig', kubeconfig)
  const child = spawn(program, isConnected(args) ? connected : args, {
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      HOLDFAST_DATA_DIR: dataDir,
      HOLDFAST_FORGE_KIND: 'github',
      HOLDFAST_FORGE_URL: url,
      HOLDFAST_GITLAB_URL: url,
      HOLDFAST_GITLAB_TOKEN: 'not-a-real-one-of-gitlab',
      HOLDFAST_FORGE_TOKEN: 'not-a-real-one-of-remedies',
      HOLDFAST_FORGE_WEBHOOK_SECRETS: 'not-a-real-one-of-remedies-either',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([out, err, [code]]) => ({ code, out, err }),
  )
  return { child, ended }
}

function isConnected([command = '', word]: readonly string[]): boolean {
  return ['reap', 'fix', 'apply', 'probe'].includes(command) && word !== 'status'
}
