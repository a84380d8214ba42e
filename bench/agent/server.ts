import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { ringPushSchema } from '../../src/api/index.ts'

export interface RingTaker {
  readonly url: string
  count(): number
  samples(): number
  /** Resolves when so many rings have come whose pods have ended. */
  arrived(count: number, boundMs: number): Promise<void>
  close(): Promise<void>
}

/** Takes rings as the server would, by the same contract. */
export async function takeRings(): Promise<RingTaker> {
  const samples: number[] = []
  let ends = 0
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const ring = ringPushSchema.parse(body)
      samples.push(ring.samples.length)
      if (ring.endedAt !== null) ends += 1
      server.emit('ring')
      response.writeHead(202).end('{"kind":"kept"}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => samples.length,
    samples: () => samples.reduce((sum, each) => sum + each, 0),
    async arrived(count, boundMs) {
      const signal = AbortSignal.timeout(boundMs)
      while (ends < count) await once(server, 'ring', { signal })
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
