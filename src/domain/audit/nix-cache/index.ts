import type { Audit, AuditInput } from '../audit.ts'
import type { AuditTable, Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { unjudgedBy } from '../judging.ts'
import { cacheNameMismatch, nixCacheClasses, pushSkipped } from './classes.ts'
import { judgeEnvironment } from './environment.ts'
import { cacheName, type NixLane, nixLanes, originText, serverName, tokenName, variable } from './lane.ts'
import { judgePushes, pushLinesBySet } from './pushes.ts'
import { judgeService } from './service.ts'

/** The Nix binary cache of lanes that use one. */
export const nixCache: Audit = {
  name: 'nix-cache',
  title: 'The Nix binary cache as runners see it',
  classes: nixCacheClasses,
  judge(input) {
    const { cluster } = input.snapshot
    const lanes = nixLanes(cluster.scaleSets.items, input.contract?.nixCache ?? null)
    const secrets = new Set(cluster.secrets.items.map(keyOf))
    const serviceByKey = new Map(cluster.services.items.map((service) => [keyOf(service), service]))
    const lines = pushLinesBySet(input)
    const parts = lanes.flatMap((lane) => [
      judgeEnvironment(lane, input, secrets),
      judgeService(lane, input, serviceByKey),
      { findings: judgePushes(lane, input, lines.get(keyOf(lane.set)) ?? []), unjudged: [] },
    ])
    return {
      findings: parts.flatMap(({ findings }) => findings),
      unjudged: [
        ...unjudgedBy(nixCacheClasses, cluster.scaleSets),
        ...parts.flatMap(({ unjudged }) => unjudged),
        ...(lanes.length === 0 ? [] : unreadPushes(input)),
      ],
      tables: lanes.length === 0 ? [] : [laneTable(lanes)],
    }
  },
}

function unreadPushes({ snapshot }: AuditInput): readonly Unjudged[] {
  const { cluster, forge } = snapshot
  return [forge.logs, forge.jobs, cluster.runners].flatMap((listing) =>
    unjudgedBy([pushSkipped, cacheNameMismatch], listing),
  )
}

function laneTable(lanes: readonly NixLane[]): AuditTable {
  const shown = (lane: NixLane, name: string) => {
    const value = variable(lane, name)
    return value === undefined ? 'not set' : (value ?? `from ${originText(lane, name)}`)
  }
  return {
    title: 'Nix cache',
    columns: ['scale set', serverName, cacheName, 'token'],
    rows: lanes.map((lane) => [
      keyOf(lane.set),
      shown(lane, serverName),
      shown(lane, cacheName),
      variable(lane, tokenName) === undefined ? 'not set' : `from ${originText(lane, tokenName)}`,
    ]),
  }
}
