import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it, onTestFinished } from 'vitest'
import type { Term } from '../../../../ports/leadership.ts'
import { bench, pods } from '../testing/bench.ts'

const never = new AbortController().signal

it('has written all of a request before anything else can run after the last look at the term', async () => {
  const { cluster } = await bench()
  const order: string[] = []
  const noteSent = () => void order.push('sent')
  subscribe('undici:request:bodySent', noteSent)
  onTestFinished(() => void unsubscribe('undici:request:bodySent', noteSent))
  const term: Term = {
    holder: 'us',
    token: '1',
    wonAt: 0,
    closing: null,
    signal: never,
    check() {
      order.push('asked')
      queueMicrotask(() => order.push('turn over'))
    },
  }
  await cluster.writerOf(term).create(pods, { metadata: { name: 'a', namespace: 'ci' } }, never)
  const lastLook = order.lastIndexOf('asked')
  expect(order.slice(lastLook)).toEqual(['asked', 'sent', 'turn over'])
})
