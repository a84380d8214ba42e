import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { Agent, request as ask } from 'node:https'
import type { AddressInfo } from 'node:net'
import { stringify } from 'yaml'
import type { BareApi } from './api.ts'

/**
 * A way to the API server on which everything goes at once but what watches show: that is late by so much. The way
 * to it is plain HTTP; the way from it has the administrator's certificate. Writes the kubeconfig that leads there.
 */
export async function startLagging(
  { url, tls }: BareApi,
  lateMs: number,
  kubeconfig: string,
): Promise<() => Promise<void>> {
  const agent = new Agent({ ...tls, keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url: at = '' } = incoming
    const isWatch = /[?&]watch=(true|1)/.test(at)
    const onward = ask(`${url}${at}`, { method, headers: { ...headers, host: new URL(url).host }, agent })
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (!isWatch) return void answer.pipe(outgoing)
      outgoing.flushHeaders()
      answer.on('data', (chunk) => setTimeout(() => outgoing.write(chunk), lateMs))
      answer.on('end', () => setTimeout(() => outgoing.end(), lateMs))
      answer.on('error', () => outgoing.destroy())
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const named = {
    name: 'late',
    cluster: { server: at },
    user: {},
    context: { cluster: 'late', user: 'late' },
  }
  const { name, cluster, user, context } = named
  const config = { clusters: [{ name, cluster }], users: [{ name, user }], contexts: [{ name, context }] }
  const head = { apiVersion: 'v1', kind: 'Config', 'current-context': name }
  await writeFile(kubeconfig, stringify({ ...head, ...config }), { mode: 0o600 })
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    agent.destroy()
  }
}
