import { joinSnapshot } from '../../src/domain/audit/joins.ts'
import { audits } from '../../src/domain/audit/registry.ts'
import { runAudits } from '../../src/domain/audit/run.ts'
import { wholeScope } from '../../src/domain/audit/scope.ts'
import { capacityModel, checkCapacity } from '../../src/domain/capacity/index.ts'
import type { Snapshot } from '../../src/domain/snapshot/index.ts'
import { atMost, type Bench, median, type Row } from '../report.ts'
import { fleetSnapshot } from './fleet.ts'

const large = { pods: 10_000, sets: 200, nodes: 500 } as const
const smaller = { pods: 1_000, sets: 20, nodes: 50 } as const
/** Together the lanes declare about what the nodes have. */
const lanes = { pods: 2_000, sets: 50, nodes: 500, maxRunners: 350 } as const
const goals = { auditsMs: 1_000, memoryMb: 500, growth: 10, capacityMs: 2_000, gapShare: 0.02 } as const
const rounds = 5

export const auditsBench: Bench = {
  name: 'audits',
  about: `all audits on a snapshot of ${large.pods} pods, ${large.sets} scale sets and ${large.nodes} nodes, and the capacity of ${lanes.sets} lanes`,
  async run({ quick, say }) {
    const times = quick ? 1 : rounds
    const [big, small] = [fleetSnapshot(large), fleetSnapshot(smaller)]
    // The baseline is the least that any judgement of the file costs: parsing it.
    const text = JSON.stringify(big)
    const parseMs = medianMs(times, () => JSON.parse(text))
    const bigMs = medianMs(times, () => judge(big))
    const smallMs = medianMs(times, () => judge(small))
    // A plain pass over both fleets: it grows by more than ten where the smaller fleet fits into the processor's cache.
    const [bigPassMs, smallPassMs] = [
      medianMs(times, () => joinSnapshot(big)),
      medianMs(times, () => joinSnapshot(small)),
    ]
    const memoryMb = process.memoryUsage().rss / 2 ** 20
    const found = judge(big)
    say(
      `${found.findings.length} findings, ${found.unjudged.length} unjudged, ${found.failures.length} audits failed; the snapshot is ${Math.round(text.length / 2 ** 20)} MiB of JSON`,
    )
    return [
      atMost('all audits, processor time', 'ms', bigMs, goals.auditsMs, 1),
      atMost('… against parsing the snapshot', 'ms', bigMs, parseMs, null),
      atMost('… against a tenth of the fleet', 'ms', bigMs, smallMs, goals.growth),
      atMost('… and one plain pass over the same facts', 'ms', bigPassMs, smallPassMs, null),
      atMost('memory of the process', 'MB', memoryMb, goals.memoryMb, 1),
      ...capacityRows(times, say),
    ]
  },
}

function judge(snapshot: Snapshot) {
  return runAudits({ audits, snapshot, contract: null, earlier: null, narrowed: wholeScope })
}

function capacityRows(times: number, say: (line: string) => void): Row[] {
  const snapshot = fleetSnapshot(lanes)
  const check = () => checkCapacity(capacityModel(snapshot), null)
  const ms = medianMs(times, check)
  const found = check()
  const slots = (load: 'atCurrentLoad' | 'atDeclaredLoad') =>
    found.reduce((sum, each) => sum + each[load].slots, 0)
  const atMostSlots = (load: 'atCurrentLoad' | 'atDeclaredLoad') =>
    found.reduce((sum, each) => sum + each[load].atMost, 0)
  const gap = (load: 'atCurrentLoad' | 'atDeclaredLoad') => 1 - slots(load) / atMostSlots(load)
  say(
    `capacity: ${slots('atCurrentLoad')} slots of ${found.length} labels at current load, ${slots('atDeclaredLoad')} at declared`,
  )
  return [
    atMost(`capacity of ${lanes.sets} lanes on ${lanes.nodes} nodes`, 'ms', ms, goals.capacityMs, 1),
    atMost('… its gap at current load', 'share', gap('atCurrentLoad'), goals.gapShare, 1),
    atMost('… its gap at declared load', 'share', gap('atDeclaredLoad'), goals.gapShare, 1),
  ]
}

/** Processor time, which other processes do not change. */
function medianMs(times: number, work: () => unknown): number {
  work() // compiled before it is measured
  return median(
    Array.from({ length: times }, () => {
      const before = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    }),
  )
}
