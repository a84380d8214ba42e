import type { Instant } from '../../src/domain/time.ts'
import type { EvidenceRow } from '../../src/ports/ledger.ts'
import type { RecordSink } from '../../src/ports/record-sink.ts'
import type { Violation, Watched } from './checkers.ts'
import type { State } from './ledger/index.ts'

/** Where records are written to, and what is promised about it: all of them, in the order of their numbers. */
export interface SinkTwin {
  readonly sink: RecordSink
  check(): Violation | null
  checkRest(watched: Watched): Violation | null
}

/** The longest pause after failures, a resync, and time for a batch. */
const writtenWithinMs = 9 * 60_000

export function createSinkTwin(rows: Readonly<State>): SinkTwin {
  const written = new Set<number>()
  let found: Violation | null = null
  const missing = (isMeant: (death: EvidenceRow) => boolean) =>
    deathsOf(rows).find((death) => !written.has(death.id) && isMeant(death))
  const fail = (what: string) => {
    found ??= { invariant: 'sink', what }
  }
  return {
    sink: {
      name: 'sim',
      async write(records) {
        for (const { id } of records) {
          const passed = missing((death) => death.id < id)
          if (passed !== undefined) fail(`record ${id} was written before ${passed.id}`)
          written.add(id)
        }
      },
    },
    check: () => found,
    checkRest({ now }) {
      const isDue = ({ sealedAt }: { readonly sealedAt: Instant }) => now - sealedAt > writtenWithinMs
      const left = missing(isDue)
      if (left !== undefined)
        fail(`record ${left.id}, sealed ${now - left.sealedAt} ms ago, was never written`)
      return found
    },
  }
}

function deathsOf({ evidence, archivedRunners }: Readonly<State>): EvidenceRow[] {
  const archived = [...archivedRunners.values()].map(({ death }) => death)
  return [...evidence.values(), ...archived].filter(({ kind }) => kind === 'runner-death')
}
