import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, start } from '../../../../test/support/embedded.ts'
import { clock, entropy, recordedLog } from '../../../../test/support/machine.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { temporaryFolder } from '../../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { openListener } from './index.ts'

let testDatabase: TestDatabase
beforeEach(async () => {
  testDatabase = await createEmptyDatabase()
})
afterEach(() => testDatabase.drop())

async function listenTo(url: string) {
  const received: string[] = []
  const waiting = new Map<string, () => void>()
  const reconnects: (() => void)[] = []
  const listener = await openListener({
    url,
    tls: { mode: 'disable' },
    channels: ['jobs', 'Odd "name'],
    log: recordedLog(),
    clock,
    entropy,
    onNotify(channel, payload) {
      received.push(`${channel}: ${payload}`)
      waiting.get(`${channel}: ${payload}`)?.()
    },
    onReconnect: () => reconnects.shift()?.(),
  })
  const receives = (text: string) =>
    received.includes(text) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(text, resolve))
  const reconnected = () => new Promise<void>((resolve) => reconnects.push(resolve))
  return { listener, receives, reconnected }
}
const backends = `from pg_stat_activity where application_name = 'holdfast listener' and datname = current_database()`

describe('the listener', () => {
  it('receives its channels, and is gone from the server when it is closed', async () => {
    const { listener, receives } = await listenTo(testDatabase.url)
    await ask(testDatabase.url, `notify jobs, 'one'; select pg_notify('Odd "name', 'two')`)
    await Promise.all([receives('jobs: one'), receives('Odd "name: two')])
    await listener.close()
    await expect.poll(() => ask(testDatabase.url, `select pid ${backends}`)).toEqual([])
  })

  it('reconnects after its backend was terminated, says so, and receives again', async () => {
    const { listener, receives, reconnected } = await listenTo(testDatabase.url)
    const again = reconnected()
    await ask(testDatabase.url, `select pg_terminate_backend(pid) ${backends}`)
    await again
    await ask(testDatabase.url, `notify jobs, 'after'`)
    await receives('jobs: after')
    await listener.close()
  })

  it('survives a restart of the server', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const first = await start(folder.path)
    const { listener, receives, reconnected } = await listenTo(first.url)
    const again = reconnected()
    await first.stop()
    const second = await start(folder.path)
    await again
    await ask(second.url, `notify jobs, 'after'`)
    await receives('jobs: after')
    await listener.close()
    await second.stop()
  })

  it('can be closed while the server is away', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const server = await start(folder.path)
    const { listener } = await listenTo(server.url)
    await server.stop()
    await expect(listener.close()).resolves.toBeUndefined()
  })
})
