import type { Clock } from '../../ports/clock.ts'
import { objectPath } from './paths.ts'
import type { ApiRequest } from './transport/request.ts'
import type { Wire } from './transport/send.ts'

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true }
/** A line of a container's log is written in pieces of at most this size, and each counts as a line. */
const LINE_BYTES_MAX = 16 * 1024
/** More is never read, however many lines are wanted. */
const READ_BYTES_MAX = 8 * 1024 * 1024

export interface LogOrder {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly linesMax: number
  readonly bytesMax: number
  readonly deadlineMs: number
}

export interface LogTail {
  readonly text: string
  /** Whether the newest output is not in it, because there is more than is ever read. */
  readonly isCutShort: boolean
}

/** What containers wrote. */
export interface PodLogs {
  /** The newest lines, cut at the old end; throws where the kubelet does not give them in time. */
  tail(order: LogOrder, signal: AbortSignal): Promise<LogTail>
}

/**
 * Reads logs to their end and keeps the newest bytes: the API's own limit counts from the oldest line that was asked
 * for, and would leave out how it ended.
 */
export function createPodLogs(wire: Wire, clock: Pick<Clock, 'after'>): PodLogs {
  return {
    async tail({ namespace, pod, container, linesMax, bytesMax, deadlineMs }, signal) {
      const limitBytes = Math.min(READ_BYTES_MAX, Math.max(bytesMax, linesMax * LINE_BYTES_MAX))
      const request: ApiRequest = {
        method: 'GET',
        path: `${objectPath(pods, { name: pod, namespace })}/log`,
        query: { container, tailLines: linesMax, limitBytes },
        timeoutMs: deadlineMs,
      }
      const overdue = new AbortController()
      const cancel = clock.after(deadlineMs, () =>
        overdue.abort(new Error(`the log did not end within ${deadlineMs} ms`)),
      )
      try {
        const stream = await wire.stream(request, AbortSignal.any([signal, overdue.signal]))
        const { bytes, readCount } = await newest(stream, bytesMax)
        return { text: wholeLines(bytes, readCount > bytes.length), isCutShort: readCount >= limitBytes }
      } finally {
        cancel()
      }
    },
  }
}

async function newest(stream: AsyncIterable<Uint8Array>, bytesMax: number) {
  const chunks: Uint8Array[] = []
  let kept = 0
  let readCount = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    kept += chunk.length
    readCount += chunk.length
    for (let first = chunks[0]; first !== undefined && kept - first.length >= bytesMax; first = chunks[0]) {
      chunks.shift()
      kept -= first.length
    }
  }
  return { bytes: Buffer.concat(chunks).subarray(-bytesMax), readCount }
}

/** A line without its beginning may hide half of a secret from who masks it. */
function wholeLines(bytes: Buffer, isCut: boolean): string {
  const lineEnd = isCut ? bytes.indexOf('\n') : -1
  return bytes.subarray(lineEnd + 1).toString('utf8')
}
