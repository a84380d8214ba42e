import type { Clock } from '../../../ports/clock.ts'
import { createPodLogs, type PodLogs } from './logs/pod-logs.ts'
import { listRawPages, type Selection } from './reflector/list.ts'
import { type Cost, counted } from './transport/counted.ts'
import type { Transport } from './transport/send.ts'

/** Reads of anything that the API serves, with their cost; nothing that is read is kept or checked here. */
export interface Reads {
  /** The objects of a collection, page by page; throws where a page fails, after those before it were given. */
  pages(selection: Selection, signal: AbortSignal): AsyncIterable<readonly unknown[]>
  /** One document, tried again where the server does not answer. */
  get(path: string, timeoutMs: number, signal: AbortSignal): Promise<unknown>
  /** One document with who wrote which field, and when. */
  getWithManagers(path: string, timeoutMs: number, signal: AbortSignal): Promise<unknown>
  /** One document, tried once: the API server hands the request on to a node that may not answer. */
  getOnce(path: string, timeoutMs: number, signal: AbortSignal): Promise<unknown>
  readonly logs: PodLogs
  cost(): Cost
}

/** Reads that are counted from now on. */
export function createReads(
  single: Transport,
  withRetries: (transport: Transport) => Transport,
  clock: Pick<Clock, 'after'>,
): Reads {
  const { transport: once, cost } = counted(single)
  const retried = withRetries(once)
  const get = async (transport: Transport, path: string, timeoutMs: number, signal: AbortSignal) =>
    (await transport.send({ method: 'GET', path, timeoutMs }, signal)).body
  return {
    async *pages(selection, signal) {
      for await (const { items } of listRawPages(retried, selection, signal)) yield items
    },
    get: (path, timeoutMs, signal) => get(retried, path, timeoutMs, signal),
    getWithManagers: async (path, timeoutMs, signal) =>
      (await retried.send({ method: 'GET', path, timeoutMs, isWithManagers: true }, signal)).body,
    getOnce: (path, timeoutMs, signal) => get(once, path, timeoutMs, signal),
    logs: createPodLogs(once, clock),
    cost,
  }
}
