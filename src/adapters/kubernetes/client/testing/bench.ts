import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../../ports/clock.ts'
import type { ClusterObject, ObjectKind } from '../../../../ports/cluster.ts'
import type { Log, LogFields } from '../../../../ports/log.ts'
import { type Cluster, createCluster } from '../cluster.ts'
import { type Credentials, fixedCredentials } from '../connection/credentials.ts'
import type { Reflector, ReflectorOptions } from '../reflector/reflector.ts'
import { ApiServer } from './api-server.ts'

export const pods: ObjectKind = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true }
export const podPath = '/api/v1/namespaces/ci/pods'

export interface FakePod extends ClusterObject {
  readonly spec?: { readonly nodeName?: string }
  readonly note?: unknown
}

export interface Bench {
  readonly api: ApiServer
  readonly cluster: Cluster
  readonly clock: Clock
  readonly log: Log & { readonly lines: string[] }
  readonly server: string
}

export interface BenchOptions {
  readonly credentials?: Credentials
  readonly clock?: Clock
  readonly steadyMs?: () => number
}

/** For tests: our adapter and a scripted server, until the test ends. */
export async function bench(options: BenchOptions = {}): Promise<Bench> {
  const api = new ApiServer()
  const server = `http://127.0.0.1:${await api.listen()}`
  const {
    credentials = fixedCredentials({ authorization: 'Bearer t-1', tls: {} }),
    clock = hurriedClock(20),
  } = options
  const log = keptLog()
  const cluster = createCluster({
    connection: { server, namespace: 'ci', credentials },
    clock,
    log,
    entropy: { fraction: () => 0.5, bytes: (count) => new Uint8Array(count) },
    steadyMs: options.steadyMs ?? (() => clock.now()),
  })
  onTestFinished(async () => {
    await cluster.close()
    await api[Symbol.asyncDispose]()
  })
  return { api, cluster, clock, log, server }
}

/** For tests: a view of pods that runs until the test ends. */
export function runningView(
  { cluster }: Pick<Bench, 'cluster'>,
  options: Partial<ReflectorOptions<FakePod>> = {},
): Reflector<FakePod> {
  const view = cluster.view<FakePod>({
    kind: pods,
    namespace: 'ci',
    transform: (object) => object as unknown as FakePod,
    ...options,
  })
  untilTestEnds((signal) => view.run(signal))
  return view
}

/** For tests: runs something until the test ends or the returned function is called, and waits for its end. */
export function untilTestEnds(run: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const stop = new AbortController()
  const running = run(stop.signal)
  const end = async () => {
    stop.abort()
    await running
  }
  onTestFinished(end)
  return end
}

/** For tests: time that passes so many times as fast as ours, so that pauses of seconds take none. */
export function hurriedClock(factor: number): Clock {
  const start = Date.now()
  return {
    now: () => start + (Date.now() - start) * factor,
    sleep: (delayMs, signal) => sleep(delayMs / factor, undefined, signal ? { signal } : {}),
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs / factor)
      return () => clearTimeout(timer)
    },
  }
}

/** For tests: a log that keeps its messages. */
export function keptLog(): Log & { readonly lines: string[] } {
  const lines: string[] = []
  const at = (level: string) => (_: LogFields, message: string) => void lines.push(`${level} ${message}`)
  const log = {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  }
  return log
}
