import type { Wake } from '../../../ports/ledger.ts'
import { channels } from './carry-out/index.ts'

/** Passes on to everybody who asked what the channels say. */
export interface Wakes {
  readonly onWake: (callback: (wake: Wake) => void) => () => void
  readonly hear: (channel: string, payload: string) => void
  /** Something may have been said while nobody listened. */
  readonly all: () => void
}

export function createWakes(): Wakes {
  const callbacks = new Set<{ readonly call: (wake: Wake) => void }>()
  const emit = (wake: Wake) => {
    for (const { call } of [...callbacks]) call(wake)
  }
  return {
    onWake(call) {
      const entry = { call }
      callbacks.add(entry)
      return () => callbacks.delete(entry)
    },
    hear(channel, payload) {
      if (channel === channels.jobs) emit({ kind: 'jobs', pool: payload })
      if (channel === channels.fenced) emit({ kind: 'fenced', runnerId: Number(payload) })
      if (channel === channels.deliveries) emit({ kind: 'deliveries' })
      if (channel === channels.recovery) emit({ kind: 'recovery' })
    },
    all: () => emit({ kind: 'everything' }),
  }
}
