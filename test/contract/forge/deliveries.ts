import { afterEach, describe, expect, it } from 'vitest'
import { isError } from '../../../src/domain/errors/index.ts'
import type { ForgeDeliveries } from '../../../src/ports/forge-deliveries.ts'

/** A forge's list of what it sent, and somebody to whom it sends. */
export interface DeliveriesUnderTest extends AsyncDisposable {
  readonly deliveries: ForgeDeliveries
  /** Makes the forge send something. */
  send(): Promise<void>
  /** GUIDs in the order in which they came, once so many did. */
  received(count: number): Promise<readonly string[]>
}

const never = new AbortController().signal

/** The contract of the ForgeDeliveries port. `answers`: the HTTP status of the receiver. */
export function deliveriesContract(
  name: string,
  make: (answers: number) => Promise<DeliveriesUnderTest>,
): void {
  describe(`the ForgeDeliveries port: ${name}`, () => {
    let under: DeliveriesUnderTest
    afterEach(() => under[Symbol.asyncDispose]())
    const sent = async (count: number) => {
      for (;;) {
        const list = await under.deliveries.sentSince(0, never)
        // A delivery is in the list only after its answer has come back.
        if (list.length >= count) return list
      }
    }

    it('has what was sent, the newest first, and whether it was received', async () => {
      under = await make(202)
      await under.send()
      await under.send()
      const guids = await under.received(2)
      const list = await sent(2)
      expect(list.map(({ guid }) => guid).sort()).toEqual([...guids].sort())
      expect(list.map(({ event, isReceived }) => [event, isReceived])).toEqual([
        ['workflow_job', true],
        ['workflow_job', true],
      ])
      const times = list.map(({ sentAt }) => sentAt)
      expect(times).toEqual(times.toSorted((a, b) => b - a))
    })

    it('has nothing that is older than what was asked for', async () => {
      under = await make(202)
      await under.send()
      const [first] = await sent(1)
      expect(await under.deliveries.sentSince((first?.sentAt ?? 0) + 60_000, never)).toEqual([])
    })

    it('says which delivery was not received, and sends it again under the same GUID', async () => {
      under = await make(500)
      await under.send()
      const [failed] = await sent(1)
      expect(failed?.isReceived).toBe(false)
      expect(await under.deliveries.sendAgain(failed?.id ?? '', never)).toBe('asked')
      expect(await under.received(2)).toEqual([failed?.guid, failed?.guid])
      expect(new Set((await sent(2)).map(({ guid }) => guid)).size).toBe(1)
    })

    it('says of what the forge does not keep that it is gone', async () => {
      under = await make(202)
      await under.send()
      const [known] = await sent(1)
      const unknown = known?.id.replace(/\d+$/, '987654321') ?? ''
      expect(await under.deliveries.sendAgain(unknown, never)).toBe('gone')
    })

    it('throws E_FORGE_UNAVAILABLE where a call is given up', async () => {
      under = await make(202)
      await under.send()
      const [known] = await sent(1)
      const over = AbortSignal.abort()
      const calls = [under.deliveries.sentSince(0, over), under.deliveries.sendAgain(known?.id ?? '', over)]
      for (const outcome of await Promise.allSettled(calls)) {
        expect(outcome.status === 'rejected' && isError(outcome.reason, 'E_FORGE_UNAVAILABLE')).toBe(true)
      }
    })
  })
}
