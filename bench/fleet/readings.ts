import { readFile } from 'node:fs/promises'
import type { Life } from './life.ts'

/** Holdfast's own metrics and the kernel's figures of its process, at one time. */
export interface Reading {
  readonly at: number
  /** Requests to the API server by `verb kind`. */
  readonly requests: ReadonlyMap<string, number>
  /** Mints that the forge answered, and the time that they took together. */
  readonly mints: { readonly count: number; readonly ms: number }
  readonly cpuMs: number
  readonly rssMb: number
  readonly rssPeakMb: number
  /** A description of the memory figure. */
  readonly memory: string
  /** The longest stall of the event loop since the reading before. */
  readonly stallMs: number
}

export async function readHoldfast(life: Life): Promise<Reading> {
  const headers = { authorization: `Bearer ${await life.token()}` }
  const answer = await fetch(`${life.url}/metrics`, { headers })
  if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`)
  const text = await answer.text()
  const status = await readFile(`/proc/${life.pid}/status`, 'utf8')
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024
  return {
    at: performance.now(),
    requests: requestsIn(text),
    mints: {
      count: mintFigure(text, 'count'),
      ms: mintFigure(text, 'sum') * 1_000,
    },
    cpuMs: figureOf(text, 'process_cpu_seconds_total') * 1_000,
    rssMb: megabytes('VmRSS'),
    rssPeakMb: megabytes('VmHWM'),
    memory: memoryIn(text),
    stallMs: figureOf(text, 'nodejs_eventloop_lag_max_seconds') * 1_000,
  }
}

function figureOf(text: string, metric: string): number {
  const value = Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1])
  if (Number.isNaN(value)) throw new Error(`/metrics does not show ${metric}`)
  return value
}

function memoryIn(text: string): string {
  const parts = {
    'heap used': 'heap_size_used',
    'heap held': 'heap_size_total',
    'outside the heap': 'external_memory',
  }
  return Object.entries(parts)
    .map(([name, metric]) => `${name} ${Math.round(figureOf(text, `nodejs_${metric}_bytes`) / 2 ** 20)} MB`)
    .join(', ')
}

function mintFigure(text: string, part: 'count' | 'sum'): number {
  const name = `holdfast_forge_request_seconds_${part}`
  return Number(new RegExp(`^${name}\\{call="mint",outcome="ok"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}

function requestsIn(text: string): ReadonlyMap<string, number> {
  const lines = text.matchAll(/^holdfast_cluster_requests_total\{verb="(\w+)",kind="(\w+)"\} (\d+)$/gm)
  return new Map(Array.from(lines, ([, verb, kind, count]) => [`${verb} ${kind}`, Number(count)]))
}

/** Requests between two readings. */
export interface Spent {
  /** On pods and the reviews of their tokens: what runners cause. */
  readonly writes: number
  /** A pool's status and events. */
  readonly poolWrites: number
  readonly reads: number
  readonly logs: number
  /** Renewals of the lease, which no runner causes. */
  readonly lease: number
  readonly words: string
}

/** The difference of two readings; watches are not counted. */
export function spentBetween(before: Reading, after: Reading): Spent {
  const spent = { writes: 0, poolWrites: 0, reads: 0, logs: 0, lease: 0 }
  const words: string[] = []
  for (const [name, total] of after.requests) {
    const count = total - (before.requests.get(name) ?? 0)
    if (count === 0) continue
    words.push(`${count} ${name}`)
    const [verb = '', kind] = name.split(' ')
    if (kind === 'leases') spent.lease += count
    else if (verb === 'read') spent.reads += count
    else if (verb === 'log') spent.logs += count
    else if (kind === 'pods' || kind === 'tokenreviews') spent.writes += verb === 'watch' ? 0 : count
    else if (verb !== 'watch') spent.poolWrites += count
  }
  return { ...spent, words: words.join(', ') }
}
