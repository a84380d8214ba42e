import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProcessHost, type ProcessHost } from '../adapters/process/index.ts'
import { endingOf, keepingLog, processesWith, stopOrder, until } from '../adapters/process/testing/harness.ts'
import { createClock } from '../platform/clock.ts'
import { pollerCommand } from './index.ts'

let folder: string
let server: Server
let host: ProcessHost
let script: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holdfast-hosted-'))
  server = createServer((request, response) => {
    const isAck = request.url === '/v1/dispatch/ack'
    const given = isAck
      ? { acknowledged: true }
      : { attempt: 'a-handle', jit: 'a-jit', job: { id: 1, url: '' } }
    response
      .writeHead(request.headers.authorization === 'Bearer its-secret' ? 200 : 401)
      .end(JSON.stringify(given))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const shape = () => {
    const runnerCommand = ['/bin/sh', '-c', script, 'runner']
    const made = pollerCommand({
      url,
      runnerCommand,
      pollMs: 30_000,
      cacheFolder: path.join(folder, '.cache'),
    })
    return { command: made.command, env: { PATH: process.env.PATH ?? '', ...made.env }, limits: {} }
  }
  host = await createProcessHost({ id: 'host-1', folder, clock: createClock(), log: keepingLog(), shape })
})
afterEach(async () => {
  await host.stop('pool-1', stopOrder('the test is over', 0))
  await host.release('pool-1')
  await host[Symbol.asyncDispose]()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

const start = () =>
  host.start(
    { name: 'pool-1', pool: 'pool', secret: 'its-secret', avoidNodes: [] },
    AbortSignal.timeout(20_000),
  )
const appears = (file: string) => until(`${file} appears`, () => stat(file).catch(() => null))

describe('a poller on a host', () => {
  it('takes its job, and ends as the runner does', async () => {
    script = 'cat "$2"; rm "$2"; exit 4'
    await start()
    const ending = await endingOf(host, 'pool-1')
    expect(ending.exitCode).toBe(4)
    expect(ending.tail).toContain('a-jit')
    expect(ending.tail).not.toContain('its-secret')
  })

  it('passes a stop on to its runner once', async () => {
    script = 'trap "echo asked; exit 9" TERM; echo > ready; while :; do sleep 0.02; done'
    await start()
    await appears(path.join(folder, 'pool-1/work/ready'))
    await host.stop('pool-1', stopOrder('enough', 10_000))
    const ending = await host.ending('pool-1')
    expect(ending).toMatchObject({ exitCode: 9, stopRequestedBy: 'enough' })
    expect(ending?.tail.match(/asked/g)).toHaveLength(1)
  })

  it('is killed together with a runner that ignores the stop', async () => {
    script = 'trap "" TERM; echo > ready; while :; do sleep 7301.1; done'
    await start()
    await appears(path.join(folder, 'pool-1/work/ready'))
    await host.stop('pool-1', stopOrder('enough', 200))
    expect(await host.ending('pool-1')).toMatchObject({ signal: 'SIGKILL', stopRequestedBy: 'enough' })
    expect(await processesWith('7301.1')).toEqual([])
  })
})
