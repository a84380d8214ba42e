import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own. */
export interface Child {
  readonly url: string
  stop(): Promise<void>
}

const stopBoundMs = 20_000

/** Starts a program that says by IPC where it serves; ends with its output where it ends before. */
export async function startChild(program: URL, env: Readonly<Record<string, string>>): Promise<Child> {
  const child: ChildProcess = fork(fileURLToPath(program), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => {
      output = (output + text.toString()).slice(-4_000)
    })
  }
  const exited = once(child, 'exit')
  const [message] = await Promise.race([
    once(child, 'message') as Promise<[{ url: string }]>,
    exited.then(([code]) => {
      throw new Error(`${fileURLToPath(program)} ended with ${code} before it served:\n${output}`)
    }),
  ])
  return {
    url: message.url,
    async stop() {
      const impatient = setTimeout(() => child.kill('SIGKILL'), stopBoundMs)
      child.kill('SIGTERM')
      await exited
      clearTimeout(impatient)
    },
  }
}
