import pg from 'pg'
import { type BackOff, backOffMs } from '../../../domain/back-off/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Log } from '../../../ports/log.ts'
import { clientConfig } from './client-config.ts'
import { databaseReasonOf } from './errors.ts'
import { waitUntilReachable } from './reachable.ts'
import { type Tls, targetOf } from './target.ts'

export interface ListenerOptions {
  readonly url: string
  readonly tls?: Tls
  readonly channels: readonly string[]
  readonly onNotify: (channel: string, payload: string) => void
  /** Notifications sent while there was no connection are lost: resync now. */
  readonly onReconnect: () => void
  readonly reachableWithinMs?: number
  readonly log: Log
  readonly clock: Clock
  readonly entropy: Entropy
}

export interface Listener {
  close(): Promise<void>
}

const pingEveryMs = 15_000
const pingTimeoutMs = 5_000
const reconnectBackOff: BackOff = { baseMs: 100, capMs: 5_000 }
const reachableWithinMsDefault = 30_000

/** Listens on a connection of its own, and goes on listening whatever happens to it. Resolves when it listens. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { clock, entropy } = options
  const log = options.log.child({ part: 'ledger-listener' })
  const closing = new AbortController()
  const withinMs = options.reachableWithinMs ?? reachableWithinMsDefault
  const target = await waitUntilReachable(targetOf(options.url, options.tls), { withinMs, log, clock })
  let current = await connect()
  const listening = listen()

  return {
    async close() {
      closing.abort()
      current.giveUp()
      await listening
      await current.ended
    },
  }

  async function listen(): Promise<void> {
    for (;;) {
      const reason = await current.lost
      if (closing.signal.aborted) return
      log.warn({ reason }, 'the ledger listener lost its connection and reconnects')
      const next = await reconnect()
      if (next === undefined) return
      current = next
      if (closing.signal.aborted) current.giveUp()
      else options.onReconnect()
    }
  }

  async function reconnect(): Promise<Connection | undefined> {
    for (let tries = 1; ; tries += 1) {
      const delayMs = backOffMs(reconnectBackOff, tries, entropy.fraction())
      await clock.sleep(delayMs, closing.signal).catch(() => {})
      if (closing.signal.aborted) return undefined
      try {
        return await connect()
      } catch (error) {
        log.debug({ reason: databaseReasonOf(error) }, 'the ledger listener could not reconnect yet')
      }
    }
  }

  async function connect(): Promise<Connection> {
    const client = new pg.Client({ ...clientConfig(target, 'listener'), query_timeout: pingTimeoutMs })
    const { promise: lost, resolve: lose } = Promise.withResolvers<string>()
    client.on('error', (error) => lose(databaseReasonOf(error)))
    client.on('end', () => lose('the connection was closed'))
    client.on('notification', ({ channel, payload = '' }) => options.onNotify(channel, payload))
    try {
      await client.connect()
      for (const channel of options.channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    return { lost, ended: keepAlive(client, lost, lose), giveUp: () => lose('closed by us') }
  }

  /** A half-open connection says nothing: only an unanswered question shows it. */
  async function keepAlive(
    client: pg.Client,
    lost: Promise<string>,
    lose: (reason: string) => void,
  ): Promise<void> {
    const over = new AbortController()
    void lost.then(() => over.abort())
    while (!over.signal.aborted) {
      await clock.sleep(pingEveryMs, over.signal).catch(() => {})
      if (over.signal.aborted) break
      await client.query('select 1').catch((error: unknown) => lose(databaseReasonOf(error)))
    }
    await client.end().catch(() => {})
  }
}

interface Connection {
  /** Resolves with the reason when the connection is of no more use. */
  readonly lost: Promise<string>
  /** Resolves when it is closed. */
  readonly ended: Promise<void>
  giveUp(): void
}
