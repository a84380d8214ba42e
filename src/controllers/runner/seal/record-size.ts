import type { DeathRecord, Ending } from '../../../domain/death/index.ts'
import { newestText } from '../../../domain/tail/index.ts'

/**
 * The largest record as JSON: room for the longest tail that a pool may ask for (1 MiB), and for the rest with its escapes.
 * A record of a usual pool has at most 64 KiB of tail.
 */
export const recordBytesMax = 2 * 1024 * 1024
/** Samples of an agent or a supervisor that are kept: the newest two minutes. */
const samplesMax = 120
const oomLinesMax = 20
/** The sizes to which the tail is cut, one after another, until the record is small enough. */
const tailStepsBytes = [1024 * 1024, 512 * 1024, 256 * 1024, 64 * 1024, 4 * 1024, 0] as const
const wordsMax = 50
const wordCharsMax = 1_000

/** Bounds a record to a size that can be stored ten thousand times a day, whatever untrusted code put into its parts. */
export function bounded(record: DeathRecord): DeathRecord {
  const trimmed = withFewSamples(record)
  if (bytesIn(trimmed) <= recordBytesMax) return trimmed
  const plain = withoutAsides(trimmed)
  for (const bytesMax of tailStepsBytes) {
    const cut = withTail(plain, bytesMax)
    if (bytesIn(cut) <= recordBytesMax) return cut
  }
  return bare(plain)
}

function withFewSamples(record: DeathRecord): DeathRecord {
  const { ending, ring } = record
  const isFew =
    (ending?.samples.length ?? 0) <= samplesMax &&
    (ring?.samples.length ?? 0) <= samplesMax &&
    (ring?.oomLines.length ?? 0) <= oomLinesMax
  if (isFew) return record
  return {
    ...record,
    ending: ending === null ? null : { ...ending, samples: ending.samples.slice(-samplesMax) },
    ring:
      ring === null
        ? null
        : {
            ...ring,
            samples: ring.samples.slice(-samplesMax),
            oomLines: ring.oomLines.slice(-oomLinesMax),
          },
  }
}

/** Drops the output of other containers, and facts about the pod from outside. */
function withoutAsides(record: DeathRecord): DeathRecord {
  const { ending } = record
  if (ending === null) return { ...record, outcome: 'incomplete', ring: null }
  const { pod } = ending
  const containers = pod?.containers.map((container) => ({ ...container, tail: '', message: null })) ?? []
  const kept = pod === null ? null : { ...pod, containers, events: [], conditions: [], nodeAtEnd: null }
  const missing = [...ending.missing, 'what made the record too large: all but how the runner itself ended']
  return { ...incomplete(record, { ...ending, pod: kept, samples: [], missing }), ring: null }
}

function withTail(record: DeathRecord, bytesMax: number): DeathRecord {
  if (record.ending === null) return record
  return incomplete(record, { ...record.ending, tail: newestText(record.ending.tail, bytesMax) })
}

/** The rest where even the sentences are too long. */
function bare(record: DeathRecord): DeathRecord {
  const words = (all: readonly string[]) =>
    all.slice(0, wordsMax).map((word) => word.slice(0, wordCharsMax).toWellFormed())
  const { ending } = record
  const few = {
    because: words(record.because),
    ruledOut: words(record.ruledOut),
    unknown: words(record.unknown),
    nextSteps: words(record.nextSteps),
  }
  if (ending === null) return { ...record, ...few, outcome: 'incomplete' }
  const missing = words(ending.missing)
  return { ...incomplete(record, { ...ending, pod: null, tail: '', missing }), ...few }
}

function incomplete(record: DeathRecord, ending: Ending): DeathRecord {
  return { ...record, outcome: 'incomplete', ending }
}

function bytesIn(record: DeathRecord): number {
  return new TextEncoder().encode(JSON.stringify(record)).length
}
