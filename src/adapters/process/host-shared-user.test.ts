import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRoot } from '../../../test/support/embedded.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createProcessHost } from './index.ts'
import { prepareIsolation } from './isolation/index.ts'
import { clock, keepingLog, processesWith, stopOrder, until } from './testing/harness.ts'

const ci = { name: 'ci', uid: 58_731, gid: 58_731 }
const asCi = `setpriv --reuid=${ci.uid} --regid=${ci.gid} --clear-groups`

describe.runIf(isRoot)('runners that are all one user', () => {
  it('end one by one: what a sibling of the same user runs goes on', async () => {
    const bench = untilTestEnds(await openShared())
    // As the poller does: the job is the user's, who starts it is not. The second leaves its session too.
    await bench.run('pool-1', `${asCi} setsid sleep 7031.1 & ${asCi} sleep 7031.1`)
    await bench.run('pool-2', `${asCi} sleep 7031.2`)
    await until('all run', async () => (await processesWith('sleep\x007031.')).length === 3)
    await bench.host.stop('pool-1', stopOrder('the test', 0))
    expect(await processesWith('sleep\x007031.1')).toEqual([])
    await bench.host.release('pool-1')
    expect(await processesWith('sleep\x007031.2')).toHaveLength(1)
    expect(await bench.host.list()).toMatchObject([{ name: 'pool-2', state: 'running' }])
    expect(await readdir(bench.jobs)).toHaveLength(1)
  })
})

async function openShared() {
  const folder = untilTestEnds(await temporaryFolder('holdfast-shared-'))
  const jobs = path.join(folder.path, 'jobs')
  const isolation = await prepareIsolation(jobs, ci)
  if (typeof isolation === 'string') throw new Error(isolation)
  let script = 'true'
  const host = await createProcessHost({
    id: 'host-1',
    folder: path.join(folder.path, 'runners'),
    clock,
    log: keepingLog(),
    shape: () => ({ command: ['/bin/sh', '-c', script], env: { PATH: process.env.PATH ?? '' }, limits: {} }),
    isolation,
  })
  return {
    host,
    jobs,
    async run(name: string, text: string) {
      script = text
      const start = { name, pool: 'pool', secret: `secret-of-${name}`, avoidNodes: [] }
      await host.start(start, AbortSignal.timeout(20_000))
    },
    async [Symbol.asyncDispose]() {
      for (const { name } of await host.list()) {
        await host.stop(name, stopOrder('the test is over', 0))
        await host.release(name)
      }
      await host[Symbol.asyncDispose]()
    },
  }
}
