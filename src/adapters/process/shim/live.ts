import { renameSync, writeFileSync } from 'node:fs'
import type { Sample } from '../../../domain/death/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { type Ring, renderTail } from '../output/index.ts'
import type { LiveRecord } from '../records/index.ts'

const tickMs = 1_000
/** A runner that prints nothing still leaves samples no older than this. */
const quietTicks = 5

export interface LiveSources {
  readonly sample: () => void
  readonly samples: () => readonly Sample[]
  readonly output: Ring
}

/** Samples each second and keeps the newest in a bounded file, for the case that this process is killed. */
export function keepLive(file: string, sources: LiveSources, clock: Clock): () => void {
  let ticks = 0
  let lastWritten = -1
  let cancel = (): void => undefined
  const tick = (): void => {
    sources.sample()
    const written = sources.output.written()
    if (written !== lastWritten || ticks % quietTicks === 0) {
      write(file, { at: clock.now(), tail: renderTail(sources.output), samples: sources.samples() })
      lastWritten = written
    }
    ticks++
    cancel = clock.after(tickMs, tick)
  }
  tick()
  return () => cancel()
}

function write(file: string, record: LiveRecord): void {
  try {
    writeFileSync(`${file}.tmp`, JSON.stringify(record), { mode: 0o600 })
    renameSync(`${file}.tmp`, file)
  } catch {
    // a full disk: the ring in memory goes on, and the ending lists the files that could not be kept
  }
}
