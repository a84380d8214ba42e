import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { ImitatedNode } from './node.ts'

/** The resource usage of a process until now. */
export interface Spent {
  readonly atMs: number
  readonly cpuMs: number
  readonly rssMb: number
  readonly rssPeakMb: number
}

export interface Measured {
  readonly ready: Promise<unknown>
  spent(): Spent
  stop(): Promise<void>
}

const cli = path.join(import.meta.dirname, '../../src/main/cli.ts')
/** Linux counts processor time in hundredths of a second. */
const tickMs = 10

export function startAgent({ folder }: ImitatedNode, url: string): Measured {
  const at = (name: string) => path.join(folder, name)
  const args = [
    ...['agent', '--url', url, '--token-file', at('token'), '--node', 'bench', '--folder', at('rings')],
    ...['--cgroups', at('cgroup'), '--proc', at('proc'), '--kernel-log', at('kmsg'), '--images', folder],
  ]
  return measured([cli, ...args])
}

export function startIdle(): Measured {
  return measured(['--eval', 'console.error("watching"); setInterval(() => {}, 1000)'])
}

function measured(args: readonly string[]): Measured {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const ready = new Promise<void>((resolve, reject) => {
    let output = ''
    child.stderr.on('data', (piece: Buffer) => {
      output = (output + piece.toString()).slice(-4_000)
      if (output.includes('watching')) resolve()
    })
    exited.then(([code]) => reject(new Error(`it ended with ${code}:\n${output}`)))
  })
  ready.catch(() => undefined)
  return {
    ready,
    spent: () => spentBy(child.pid as number),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function spentBy(pid: number): Spent {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const mb = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024) / 1e6
  return {
    atMs: performance.now(),
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    rssMb: mb('VmRSS'),
    rssPeakMb: mb('VmHWM'),
  }
}
