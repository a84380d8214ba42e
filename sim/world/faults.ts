import type { ListFaults } from './deliveries.ts'
import type { ProcessFaults } from './life.ts'
import type { NetworkFaults } from './network.ts'
import type { Random } from './random.ts'
import type { RunnerFaults } from './runner.ts'

/** How the forge's answers fail although they come; all zero in the quiet end of a history. */
interface ReadFaults {
  /** Chance that an answer is of a moment ago. */
  stale: number
}

/** The faults of a history and their rates. The objects are shared with the parts that draw from them. */
export interface Faults {
  readonly process: ProcessFaults
  readonly network: NetworkFaults
  readonly runner: RunnerFaults
  readonly reads: ReadFaults
  readonly list: ListFaults
  /** Calls that the forge allows in each of its windows. */
  readonly callsMax: number
  /** The forge's secondary limit in points a minute; null: it counts none. */
  readonly pointsPerMinute: number | null
  /** Whether the forge keeps a list of its webhooks. */
  readonly hasList: boolean
  /** Whether people break and mend what only people can. */
  readonly hasRefusals: boolean
  /** How far the processes' clocks are behind the ledger's; negative is late. */
  readonly skewMs: number
}

/** Chances per call, message or step. */
const most = {
  process: { crash: 0.01, ledgerFails: 0.03, forgeFails: 0.15 },
  cluster: { clusterFails: 0.1 },
  sink: { sinkFails: 0.5 },
  network: { lost: 0.25, repeated: 0.1, late: 0.2 },
  runner: { dies: 0.04, freezes: 0.02 },
  reads: { stale: 0.4 },
  list: { gone: 0.1, forgotten: 0.2 },
} as const
/** From so few that the limit is spent again and again, to so many that it hardly ever is. */
const callsMost = { from: 60, to: 600 } as const
const callsUnlimited = 1_000_000
const skewMaxMs = 90_000
/** Far fewer than GitHub's 900, so that the few jobs of a history meet it. */
const pointsMost = { from: 60, to: 300 } as const

/** Each kind of fault is drawn for itself, so that histories differ in what is wrong, not only in when. */
export function wildFaults(random: Random): Faults {
  const draw = <T extends object>(limits: T): { -readonly [Key in keyof T]: number } => {
    const drawn = Object.entries(limits).map(([key, limit]) => [
      key,
      random.chance(0.3) ? 0 : random.between(0, limit),
    ])
    return Object.fromEntries(drawn)
  }
  const faults = {
    process: { ...draw(most.process), clusterFails: 0, sinkFails: 0 },
    network: draw(most.network),
    runner: { ...draw(most.runner), reclaimed: 0 },
    reads: draw(most.reads),
    list: draw(most.list),
    callsMax: random.chance(0.5) ? callsUnlimited : Math.round(random.between(callsMost.from, callsMost.to)),
    hasList: random.chance(0.7),
    hasRefusals: random.chance(0.4),
    skewMs: random.chance(0.5) ? 0 : random.between(-skewMaxMs, skewMaxMs),
  }
  Object.assign(faults.process, draw(most.cluster), draw(most.sink))
  const points = Math.round(random.between(pointsMost.from, pointsMost.to))
  return { ...faults, pointsPerMinute: random.chance(0.6) ? null : points }
}

export function calmFaults(): Faults {
  return {
    process: { crash: 0, ledgerFails: 0, forgeFails: 0, clusterFails: 0, sinkFails: 0 },
    network: { lost: 0, repeated: 0, late: 0 },
    runner: { dies: 0, freezes: 0, reclaimed: 0 },
    reads: { stale: 0 },
    list: { gone: 0, forgotten: 0 },
    callsMax: callsUnlimited,
    pointsPerMinute: null,
    hasList: true,
    hasRefusals: false,
    skewMs: 0,
  }
}

/** From now on nothing new goes wrong. */
export function stopFaults(faults: Faults): void {
  const calm = calmFaults()
  Object.assign(faults.process, calm.process)
  Object.assign(faults.network, calm.network)
  Object.assign(faults.runner, calm.runner)
  Object.assign(faults.reads, calm.reads)
  Object.assign(faults.list, calm.list)
}
