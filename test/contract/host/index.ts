import { afterEach, beforeEach, describe } from 'vitest'
import { changesContract } from './changes.ts'
import { endsContract } from './ends.ts'
import { type HostNature, type HostUnderTest, hostBench, type OpenHost } from './kit.ts'
import { placesContract } from './places.ts'
import { startsContract } from './starts.ts'
import { stopsContract } from './stops.ts'

export type { HostNature, HostUnderTest, OpenHost } from './kit.ts'

/** The contract of the RunnerHost port. `open` gives a host without runners for each test. */
export function hostContract(name: string, open: OpenHost, nature: HostNature = {}): void {
  describe(`the RunnerHost port: ${name}`, () => {
    let under: HostUnderTest
    const bench = hostBench(() => under)
    beforeEach(async () => {
      under = await open()
    })
    afterEach(() => under[Symbol.asyncDispose]())

    startsContract(bench, nature)
    stopsContract(bench, nature)
    endsContract(bench)
    changesContract(bench)
    placesContract(bench, nature)
  })
}
