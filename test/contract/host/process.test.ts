import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createProcessHost } from '../../../src/adapters/process/index.ts'
import { clock, keepingLog, until } from '../../../src/adapters/process/testing/harness.ts'
import { type HostUnderTest, hostContract } from './index.ts'

hostContract('processes of this machine', openProcessHost)
hostContract('processes that run the job as a child', openPollingHost, { showsProgram: true })

let starts = 0

/** One program that asks and runs, until a file says how it ends. */
const single = ['/bin/sh', '-c', 'until [ -s "$END" ]; do sleep 0.02; done; exit "$(cat "$END")"']
/** One that asks, and runs the job as its child once there is a file. */
const asking = `
  const { existsSync, readFileSync } = require('node:fs')
  const { spawn } = require('node:child_process')
  const { BEGIN, END } = process.env
  let child
  setInterval(() => {
    const end = existsSync(END) ? readFileSync(END, 'utf8') : ''
    if (end !== '') process.exit(Number(end))
    if (child === undefined && existsSync(BEGIN)) child = spawn('/bin/sleep', ['7302.1'])
  }, 20)`

function openProcessHost(): Promise<HostUnderTest> {
  return open(single, false)
}

function openPollingHost(): Promise<HostUnderTest> {
  return open([process.execPath, '-e', asking], true)
}

async function open(command: readonly string[], runsJobAsChild: boolean): Promise<HostUnderTest> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'holdfast-host-contract-'))
  const folder = path.join(root, 'runners')
  const beginFile = (pool: string) => path.join(root, `begin-${pool}`)
  const endFile = (pool: string) => path.join(root, `end-${pool}`)
  const shape = (pool: string) => ({
    command,
    env: { PATH: process.env.PATH ?? '', BEGIN: beginFile(pool), END: endFile(pool) },
    limits: {},
    runsJobAsChild,
  })
  const openHost = () => createProcessHost({ id: 'host-1', folder, clock, log: keepingLog(), shape })
  let host = await openHost()
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
    async begin(name) {
      await writeFile(beginFile(poolOf(name)), '')
      await until(`${name} runs its job`, async () => {
        const seen = (await host.list()).find((runner) => runner.name === name)
        return seen?.program !== 'waiting'
      })
    },
    until: (what, holds) => until(what, holds).then(() => undefined),
    async restart() {
      await host[Symbol.asyncDispose]()
      host = await openHost()
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
