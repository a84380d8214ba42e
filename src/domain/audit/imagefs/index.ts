import { type Reading, readingsOf, runwaysOf } from '../../capacity/index.ts'
import { durationText } from '../../format.ts'
import type { Snapshot } from '../../snapshot/index.ts'
import type { Audit, AuditInput } from '../audit.ts'
import type { AuditTable, Judgement, Unjudged } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import { amountText } from './amount-text.ts'
import { atRisk, headroom, runway } from './classes.ts'
import { judgeNode, type NodeReadings } from './judge-node.ts'
import { largestLane } from './largest-lane.ts'

export const imagefs: Audit = {
  name: 'imagefs',
  title: 'Disks of the kubelets: what is left, and how long it lasts',
  classes: [headroom, atRisk, runway],
  judge: judgeImagefs,
}

function judgeImagefs(input: AuditInput): Judgement {
  const { nodes, nodeUsage, nodeSettings, scaleSets } = input.snapshot.cluster
  const read = readNodes(input)
  return {
    findings: read.flatMap((node) => judgeNode(input, node)),
    unjudged: [
      ...unjudgedBy([headroom, atRisk, runway], nodeUsage),
      ...unjudgedBy([headroom, runway], nodeSettings),
      ...unjudgedBy([atRisk], scaleSets),
      ...unjudgedBy([headroom, atRisk], nodes),
      ...withoutRate(input, read),
    ],
    tables: read.length === 0 ? [] : [tableOf(read)],
  }
}

function readNodes({ snapshot, earlier = null, joins, narrowed }: AuditInput): readonly NodeReadings[] {
  const { nodeUsage, scaleSets } = snapshot.cluster
  const settings = settingsByNode(snapshot)
  const before = new Map((earlier?.cluster.nodeUsage.items ?? []).map((usage) => [usage.node, usage]))
  const laneOf = largestLane(scaleSets.items)
  return nodeUsage.items
    .filter(({ node }) => narrowed.nodes === null || narrowed.nodes.includes(node))
    .map((usage) => {
      const node = joins.nodeByName.get(usage.node) ?? null
      const own = settings.get(usage.node) ?? null
      const readings = readingsOf(usage, own)
      const usageBefore = before.get(usage.node) ?? null
      const then = usageBefore && { usage: usageBefore, readings: readingsOf(usageBefore, own) }
      return {
        ...{ name: usage.node, node, usage, readings, usageBefore },
        lane: node === null ? null : laneOf(node),
        runways: runwaysOf({ usage, readings }, then),
      }
    })
}

function settingsByNode({ cluster }: Snapshot) {
  return new Map(cluster.nodeSettings.items.map((settings) => [settings.node, settings]))
}

/** A rate needs two readings. Without an earlier snapshot nobody asked for one, and the table says so. */
function withoutRate({ earlier = null }: AuditInput, read: readonly NodeReadings[]): readonly Unjudged[] {
  const count = earlier === null ? 0 : read.filter(({ runways }) => runways === null).length
  if (count === 0) return []
  return [
    {
      class: runway.name,
      why: `${count} nodes have no earlier reading, or none that is a minute older`,
      needs: 'an earlier snapshot with the same nodes (holdfast snapshot save)',
    },
  ]
}

function tableOf(read: readonly NodeReadings[]): AuditTable {
  return {
    title: 'Filesystems of the kubelets',
    columns: ['node', 'filesystem', 'left', 'of', 'until eviction', 'largest lane limit', 'lasts'],
    rows: read.flatMap((node) => node.readings.map((reading) => rowOf(node, reading))),
  }
}

function rowOf({ name, lane, runways }: NodeReadings, reading: Reading): readonly string[] {
  const { filesystem, unit, available, capacity, threshold, headroom: left } = reading
  const limit = lane === null || unit === 'inodes' ? '' : amountText('bytes', lane.limitBytes)
  const lasts = runways?.find((each) => each.reading === reading)
  return [
    name,
    filesystem,
    amountText(unit, available),
    amountText(unit, capacity),
    threshold === null ? 'unknown' : amountText(unit, left),
    limit,
    ...[
      runways === null
        ? 'unknown: one reading'
        : lasts === undefined
          ? 'does not fill'
          : durationText(lasts.ms),
    ],
  ]
}
