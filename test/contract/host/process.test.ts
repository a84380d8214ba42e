import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createProcessHost } from '../../../src/adapters/process/index.ts'
import { clock, keepingLog, until } from '../../../src/adapters/process/testing/harness.ts'
import { type HostUnderTest, hostContract } from './index.ts'

hostContract('processes of this machine', openProcessHost)

let starts = 0

/** Runners that live until a file says how they end. */
async function openProcessHost(): Promise<HostUnderTest> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'holdfast-host-contract-'))
  const folder = path.join(root, 'runners')
  const endFile = (pool: string) => path.join(root, `end-${pool}`)
  const shape = (pool: string) => ({
    command: ['/bin/sh', '-c', 'until [ -s "$END" ]; do sleep 0.02; done; exit "$(cat "$END")"'],
    env: { PATH: process.env.PATH ?? '', END: endFile(pool) },
    limits: {},
  })
  const open = () => createProcessHost({ id: 'host-1', folder, clock, log: keepingLog(), shape })
  let host = await open()
  // The host starts by pool: one for each runner, so that each has an end of its own.
  const poolOf = (name: string) => name.slice(0, name.lastIndexOf('-'))
  return {
    get host() {
      return host
    },
    newStart() {
      const pool = `p${++starts}`
      return { name: `${pool}-00000000`, pool, secret: `secret of ${pool}`, avoidNodes: [] }
    },
    end: (name, exitCode) => writeFile(endFile(poolOf(name)), String(exitCode)),
    until: (what, holds) => until(what, holds).then(() => undefined),
    async restart() {
      await host[Symbol.asyncDispose]()
      host = await open()
    },
    async [Symbol.asyncDispose]() {
      for (const { name } of await host.list()) {
        await host.stop(name, { reason: 'the test is over', graceMs: 0, evenIfStarted: true })
        await host.release(name)
      }
      await host[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}
