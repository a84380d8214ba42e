import type { FaultyForge } from './forge/start.ts'

/** Something that goes wrong at one point of the run, and is over after a while. */
export interface Trouble {
  readonly name: string
  /** When it begins, as a share of the time in which jobs arrive. */
  readonly at: number
  readonly lastsMs: number
  begin(forge: FaultyForge): Promise<void>
  end?(forge: FaultyForge): Promise<void>
}

/** The forge's clock is ahead of ours all the time. */
export const aheadMs = 7_000
const minting = 'generate-jitconfig'

/** Random faults that happen all the time; the same seed repeats them. */
export function scheduleOf(seed: number) {
  return {
    schedule: {
      seed,
      webhooks: { drop: 0.1, repeat: 0.1, delay: 0.2, delayMsMax: 5_000 },
      rest: { fail: 0.02, hang: 0.01, lostAnswer: 0.005, empty: 0.002, reset: 0.002 },
      reads: { lag: 0.05, lagMsMax: 2_000 },
    },
    aheadMs,
  }
}

/** Outages of the forge in the order of time; a minute of them takes `minuteMs` here. */
export function troublesOf(seed: number, minuteMs: number): readonly Trouble[] {
  const exhausted = (status: 403 | 429, at: number): Trouble => ({
    name: `the budget is exhausted (${status}), for 3 minutes`,
    at,
    lastsMs: 3 * minuteMs,
    async begin(forge) {
      const resetAfterSeconds = Math.ceil((3 * minuteMs) / 1_000)
      await forge.order('POST', 'rate-limit', { remaining: 0, resetAfterSeconds, status })
    },
  })
  const lostMints = (how: 'reset' | 'hang', at: number): Trouble => ({
    name: `answers to 8 mints are lost (${how})`,
    at,
    lastsMs: 0,
    begin: async (forge) => {
      const rest = { count: 8, do: how, when: 'after', match: minting }
      await forge.order('POST', 'faults', { rest })
    },
  })
  const secondary = (status: 403 | 429, count: number, seconds: number | undefined, at: number): Trouble => ({
    name: `secondary limits on ${count} mints (${status}, ${seconds === undefined ? 'without a time' : `${seconds} s`})`,
    at,
    lastsMs: 0,
    begin: async (forge) => {
      const rest = { count, do: 'secondary-limit', status, retryAfterSeconds: seconds, match: minting }
      await forge.order('POST', 'faults', { rest })
    },
  })
  return [
    lostMints('reset', 0.05),
    exhausted(403, 0.12),
    {
      name: 'every token is revoked',
      at: 0.3,
      lastsMs: 0,
      begin: (forge) => forge.order('DELETE', 'tokens'),
    },
    {
      name: 'the forge is out for 4 minutes: every call fails, no webhook is sent',
      at: 0.36,
      lastsMs: 4 * minuteMs,
      async begin(forge) {
        const schedule = { seed, webhooks: { drop: 1 }, rest: { fail: 1 } }
        await forge.order('POST', 'faults', { schedule })
      },
      async end(forge) {
        await forge.order('POST', 'faults', scheduleOf(seed + 2))
      },
    },
    {
      name: 'searched lists of runs are behind for 4 minutes',
      at: 0.52,
      lastsMs: 4 * minuteMs,
      begin: (forge) => forge.order('POST', 'faults', { searchLagMs: 4_000 }),
      end: (forge) => forge.order('POST', 'faults', { searchLagMs: 0 }),
    },
    lostMints('hang', 0.58),
    exhausted(429, 0.66),
    secondary(403, 6, 2, 0.82),
    // Without a retry-after, a client waits a minute: a whole one, because its clock is the real one.
    secondary(429, 1, undefined, 0.88),
  ]
}
