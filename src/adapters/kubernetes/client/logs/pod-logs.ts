import { redactText } from '../../../../domain/redact/index.ts'
import { lookBehindBytes, renderTail, type TailBounds } from '../../../../domain/tail/index.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { objectPath } from '../paths.ts'
import type { ApiRequest } from '../transport/request.ts'
import type { Transport } from '../transport/send.ts'
import { createStampReader } from './log-stamps.ts'

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true }
/** A line of a container's log is written in pieces of at most this size, and each counts as a line. */
const defaultLineBytesMax = 16 * 1024
/** The time that a kubelet writes before each. */
const stampBytes = 36
/** The smallest piece that a runtime is known to break long lines into is twice as large. */
const pieceBytesMin = 4 * 1024
/** More is never read, however many lines are wanted. */
const readBytesMax = 8 * 1024 * 1024
/** The text that some kubelets write in place of the log of a container that they have removed. */
const removed = /^unable to retrieve container logs for \S{1,200}\s*$/
const messageCharsMax = 300

export interface LogOrder extends TailBounds {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly deadlineMs: number
}

export interface LogTail {
  /** Without secrets. */
  readonly text: string
  /** Whether there is older output that is not in it. */
  readonly isCut: boolean
  /** Whether the newest output is not in it, because there is more than is ever read. */
  readonly isCutShort: boolean
  /** The kubelet's own message between or after the lines of the container, as where it fails to read on. */
  readonly message: string | null
}

/** Reads the output of containers. */
export interface PodLogs {
  /** The newest lines, cut at the old end; throws where the kubelet does not give them in time. */
  tail(order: LogOrder, signal: AbortSignal): Promise<LogTail>
}

/**
 * Reads logs to their end and keeps the newest bytes: the API's own limit counts from the oldest line that was asked
 * for, and would leave out how it ended.
 */
export function createPodLogs(transport: Transport, clock: Pick<Clock, 'after'>): PodLogs {
  return {
    async tail({ namespace, pod, container, linesMax, bytesMax, deadlineMs }, signal) {
      // One more than is kept: where the kubelet's count begins within a line, that is the one that is left out.
      const tailLines = linesMax + 1
      const limitBytes = Math.min(
        readBytesMax,
        Math.max(bytesMax, tailLines * (defaultLineBytesMax + stampBytes)) + 1,
      )
      const request: ApiRequest = {
        method: 'GET',
        path: `${objectPath(pods, { name: pod, namespace })}/log`,
        // Lines of the container have a timestamp, the kubelet's own messages have none.
        query: { container, tailLines, limitBytes, timestamps: 'true' },
        timeoutMs: deadlineMs,
      }
      const overdue = new AbortController()
      const cancel = clock.after(deadlineMs, () =>
        overdue.abort(new Error(`the log did not end within ${deadlineMs} ms`)),
      )
      try {
        const stream = await transport.stream(request, AbortSignal.any([signal, overdue.signal]))
        const { bytes, readCount, ownCount, message } = await newest(stream, bytesMax + lookBehindBytes)
        if (removed.test(message)) throw new Error('its container was removed before')
        const words = message === '' ? null : redactText(message, messageCharsMax)
        if (ownCount === 0 && words !== null) throw new Error(`the kubelet says in its place: ${words}`)
        const isCut = ownCount > bytes.length || piecesIn(bytes) >= tailLines
        const text = renderTail(bytes, isCut, { linesMax, bytesMax })
        return {
          text,
          isCut: isCut || bytes.length > bytesMax,
          isCutShort: readCount >= limitBytes,
          message: words,
        }
      } finally {
        cancel()
      }
    },
  }
}

async function newest(stream: AsyncIterable<Uint8Array>, bytesMax: number) {
  const chunks: Uint8Array[] = []
  const lines = createStampReader()
  let kept = 0
  let readCount = 0
  let ownCount = 0
  const keep = (parts: readonly Uint8Array[]) => {
    for (const part of parts) {
      chunks.push(part)
      kept += part.length
      ownCount += part.length
    }
    for (let first = chunks[0]; first !== undefined && kept - first.length >= bytesMax; first = chunks[0]) {
      chunks.shift()
      kept -= first.length
    }
  }
  for await (const chunk of stream) {
    readCount += chunk.length
    keep(lines.next(chunk))
  }
  keep(lines.end())
  return { bytes: Buffer.concat(chunks).subarray(-bytesMax), readCount, ownCount, message: lines.message() }
}

/** How many lines the kubelet may have counted in it: pieces of long lines count as well, and cannot be told apart. */
function piecesIn(bytes: Buffer): number {
  let pieces = 0
  for (let from = 0; from < bytes.length; ) {
    const lineEnd = bytes.indexOf('\n', from)
    const next = lineEnd === -1 ? bytes.length : lineEnd + 1
    pieces += Math.ceil((next - from) / pieceBytesMin)
    from = next
  }
  return pieces
}
