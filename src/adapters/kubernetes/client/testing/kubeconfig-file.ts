import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ApiServer } from './api-server.ts'

/** An API server for one test, and a kubeconfig file that leads there. */
export async function kubeconfig(): Promise<{ readonly api: ApiServer; readonly file: string }> {
  const api = new ApiServer()
  const server = `http://127.0.0.1:${await api.listen()}`
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-kubeconfig-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await api[Symbol.asyncDispose]()
  })
  const file = join(folder, 'config')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'arc' } }],
  }
  writeFileSync(file, JSON.stringify(config))
  return { api, file }
}
