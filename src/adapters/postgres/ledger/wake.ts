import type { Wake } from '../../../ports/ledger.ts'
import { channels } from './plan/index.ts'

/** Passes on to everybody who asked what the channels say. */
export interface Wakes {
  readonly onWake: (callback: (wake: Wake) => void) => () => void
  readonly notify: (channel: string, payload: string) => void
  /** Notifications may have been missed while nobody listened. */
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
    notify(channel, payload) {
      if (channel === channels.jobs) emit({ kind: 'jobs', pool: payload })
      if (channel === channels.fenced) emit({ kind: 'fenced', runnerId: Number(payload) })
      if (channel === channels.deliveries) emit({ kind: 'deliveries' })
      if (channel === channels.recovery) emit({ kind: 'recovery' })
    },
    all: () => emit({ kind: 'everything' }),
  }
}
