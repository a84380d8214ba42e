import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../../../src/domain/death/index.ts'
import type { SealedDeath } from '../../../src/ports/ledger.ts'
import type { RecordSink } from '../../../src/ports/record-sink.ts'

/** A sink under test, how to read what it holds, and how to make its other side fail or hang. */
export interface MadeSink {
  readonly sink: RecordSink
  /** Every line that is there, in the order in which a reader meets them. */
  lines(): Promise<string[]>
  /** From now on nothing can be written, until it is mended. */
  fail(): Promise<void>
  mend(): Promise<void>
}

const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 16, 12)
const never = new AbortController().signal

/** A death as the ledger gives it. */
export function aDeath(id: number, over: Partial<SealedDeath> = {}): SealedDeath {
  const record = { ...classifyDeath(null) }
  return {
    id,
    runnerId: id,
    runner: `linux-${id}`,
    pool: 'linux',
    host: 'here',
    sealedAt: noon,
    record,
    ...over,
  }
}

/** The contract of the sink port, for every implementation. `make` gives an empty one for each test. */
export function recordSinkContract(name: string, make: () => Promise<MadeSink>): void {
  describe(`the contract of sinks: ${name}`, () => {
    const read = async (made: MadeSink) => (await made.lines()).map((line) => JSON.parse(line))
    const ids = async (made: MadeSink) => (await read(made)).map(({ id }) => id)

    it('has every record as one line, with whose it is and all that was sealed', async () => {
      const made = await make()
      const death = aDeath(7, { record: { ...classifyDeath(null), note: 'a\nb\u2028c "d" ü 😀' } })
      await made.sink.write([death], never)
      const { sealedAt, record, ...whose } = death
      expect(await read(made)).toEqual([{ ...whose, ...record, sealedAt: new Date(sealedAt).toISOString() }])
    })

    it('keeps the order, within a call and between calls', async () => {
      const made = await make()
      await made.sink.write([aDeath(1), aDeath(2), aDeath(3)], never)
      await made.sink.write([aDeath(4)], never)
      await made.sink.write([aDeath(15), aDeath(100)], never)
      expect(await ids(made)).toEqual([1, 2, 3, 4, 15, 100])
    })

    it('keeps it over midnight', async () => {
      const made = await make()
      await made.sink.write(
        [aDeath(1), aDeath(2, { sealedAt: noon + dayMs }), aDeath(3, { sealedAt: noon + dayMs })],
        never,
      )
      await made.sink.write([aDeath(4, { sealedAt: noon + 2 * dayMs })], never)
      expect(await ids(made)).toEqual([1, 2, 3, 4])
    })

    it('writes nothing for no records', async () => {
      const made = await make()
      await made.sink.write([], never)
      expect(await made.lines()).toEqual([])
    })

    it('takes a large batch of large records', async () => {
      const made = await make()
      const tail = 'x'.repeat(64 * 1024)
      const records = Array.from({ length: 50 }, (_, n) => aDeath(n + 1, { record: { tail } }))
      await made.sink.write(records, never)
      expect(await ids(made)).toEqual(records.map(({ id }) => id))
    })

    it('says that it could not, and has all of it once it is tried again', async () => {
      const made = await make()
      await made.sink.write([aDeath(1)], never)
      await made.fail()
      await expect(made.sink.write([aDeath(2)], never)).rejects.toMatchObject({ code: 'E_SINK_FAILED' })
      await made.mend()
      await made.sink.write([aDeath(2)], never)
      await made.sink.write([aDeath(3)], never)
      expect(await ids(made)).toEqual([1, 2, 3])
    })

    it('does nothing once it is asked to stop', async () => {
      const made = await make()
      const ending = new AbortController()
      ending.abort(new Error('the end'))
      await expect(made.sink.write([aDeath(1)], ending.signal)).rejects.toThrow('the end')
      expect(await made.lines()).toEqual([])
    })
  })
}
