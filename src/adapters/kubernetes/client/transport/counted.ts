import type { Transport } from './send.ts'

/** The cost of requests: every try counts, and the bytes of every answer. */
export interface Cost {
  readonly requests: number
  readonly bytes: number
}

/** A transport that counts its cost. */
export function counted(transport: Transport): { readonly transport: Transport; cost(): Cost } {
  let requests = 0
  let bytes = 0
  return {
    cost: () => ({ requests, bytes }),
    transport: {
      async send(request, signal) {
        requests += 1
        const answer = await transport.send(request, signal)
        bytes += answer.byteCount
        return answer
      },
      async stream(request, signal) {
        requests += 1
        return measured(await transport.stream(request, signal))
      },
    },
  }

  async function* measured(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.length
      yield chunk
    }
  }
}
