import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Measured {
  readonly perSecond: number
  /** How long each answer took, sorted. */
  readonly answerMs: readonly number[]
}

const accepted = 202

/** Sends these requests over so many kept connections, each of which waits for its answer. Throws on any but 202. */
export async function load(url: string, requests: readonly Buffer[], connections: number): Promise<Measured> {
  const { hostname, port } = new URL(url)
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true)
      await once(socket, 'connect')
      return socket
    }),
  )
  const answerMs: number[] = []
  let next = 0
  const began = performance.now()
  await Promise.all(
    sockets.map(async (socket) => {
      while (next < requests.length) {
        const request = requests[next++] as Buffer
        const sentAt = performance.now()
        const status = await exchange(socket, request)
        if (status !== accepted) throw new Error(`a delivery was answered with ${status}`)
        answerMs.push(performance.now() - sentAt)
      }
    }),
  )
  const tookMs = performance.now() - began
  for (const socket of sockets) socket.destroy()
  return {
    perSecond: (requests.length * 1_000) / tookMs,
    answerMs: answerMs.toSorted((a, b) => a - b),
  }
}

/** One request and its whole answer; the status. */
function exchange(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const finish = (settle: () => void) => {
      socket.off('data', onData)
      socket.off('error', onEnd)
      socket.off('close', onEnd)
      settle()
    }
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const status = wholeAnswer(text)
      if (status !== null) finish(() => resolve(status))
    }
    const onEnd = () => finish(() => reject(new Error('the connection was closed')))
    socket.on('data', onData)
    socket.on('error', onEnd)
    socket.on('close', onEnd)
    socket.write(request)
  })
}

/** The status once the answer is complete; null before. */
function wholeAnswer(text: string): number | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = text.slice(0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  const isWhole =
    length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= headEnd + 4 + Number(length)
  return isWhole ? Number(head.slice(9, 12)) : null
}
