import type { DeathRecord, Ending } from '../../../domain/death/index.ts'
import { newestText } from '../../../domain/tail/index.ts'

/**
 * No record is larger, written as JSON: room for the longest tail that a pool may ask for (1 MiB), and for all else
 * with its escapes. One of a usual pool has at most 64 KiB of tail.
 */
export const recordBytesMax = 2 * 1024 * 1024
/** Of what an agent or a supervisor sampled, the newest two minutes. */
const SAMPLES_MAX = 120
const OOM_LINES_MAX = 20
/** What each is cut to, one after another, until the record is small enough. */
const TAIL_STEPS_BYTES = [1024 * 1024, 512 * 1024, 256 * 1024, 64 * 1024, 4 * 1024, 0] as const
const WORDS_MAX = 50
const WORD_CHARS_MAX = 1_000

/** A record of a size that can be kept ten thousand times a day, whatever untrusted code made of its parts. */
export function bounded(record: DeathRecord): DeathRecord {
  const trimmed = withFewSamples(record)
  if (bytesIn(trimmed) <= recordBytesMax) return trimmed
  const plain = withoutAsides(trimmed)
  for (const bytesMax of TAIL_STEPS_BYTES) {
    const cut = withTail(plain, bytesMax)
    if (bytesIn(cut) <= recordBytesMax) return cut
  }
  return bare(plain)
}

function withFewSamples(record: DeathRecord): DeathRecord {
  const { ending, ring } = record
  const isFew =
    (ending?.samples.length ?? 0) <= SAMPLES_MAX &&
    (ring?.samples.length ?? 0) <= SAMPLES_MAX &&
    (ring?.oomLines.length ?? 0) <= OOM_LINES_MAX
  if (isFew) return record
  return {
    ...record,
    ending: ending === null ? null : { ...ending, samples: ending.samples.slice(-SAMPLES_MAX) },
    ring:
      ring === null
        ? null
        : {
            ...ring,
            samples: ring.samples.slice(-SAMPLES_MAX),
            oomLines: ring.oomLines.slice(-OOM_LINES_MAX),
          },
  }
}

/** Without what containers beside the runner wrote, and what is said of the pod from outside. */
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

/** What is left where even words are too long. */
function bare(record: DeathRecord): DeathRecord {
  const words = (all: readonly string[]) =>
    all.slice(0, WORDS_MAX).map((word) => word.slice(0, WORD_CHARS_MAX).toWellFormed())
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
