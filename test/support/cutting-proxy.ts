import { connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  /** Lets the server do the next statement that holds this text, and cuts the line instead of answering. */
  cutAnswerTo(text: string): void
  /** Ends every connection now. */
  cutAll(): void
}

/** Stands between client and server and loses answers, as a network does. */
export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let doomed: string | undefined
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    let cutting = false
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          client.destroy()
          server.destroy()
        })
    }
    client.on('data', (chunk) => {
      if (doomed !== undefined && chunk.includes(doomed)) {
        cutting = true
        doomed = undefined
      }
      server.write(chunk)
    })
    server.on('data', (chunk) => (cutting ? client.destroy() : client.write(chunk)))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const through = new URL(url)
  through.port = String(typeof address === 'object' && address ? address.port : 0)
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: through.href,
    cutAnswerTo(text) {
      doomed = text
    },
    cutAll,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        cutAll()
      }),
  }
}
