import type { AuditTable } from '../finding.ts'
import { tableRowsMax } from './bounds.ts'
import { kindsOf } from './listener.ts'
import { forgeRunnerOf, occupationOf } from './occupation.ts'
import type { FleetView, SetView } from './view.ts'

/** Counted from the objects. Idle runners that are online are capacity, and stand here instead of among the findings. */
export function runtimeTables(fleet: FleetView): readonly AuditTable[] {
  const sets = fleet.sets.map((view) => setRow(view, fleet))
  const idle = fleet.sets.flatMap((view) => idleRows(view, fleet))
  return [
    {
      title: 'Scale sets',
      columns: [
        'set',
        'release',
        'listener',
        'generations',
        'wanted',
        'runners',
        'busy',
        'failed',
        'deleting',
        'max',
      ],
      rows: sets.slice(0, tableRowsMax),
    },
    ...(idle.length === 0
      ? []
      : [
          {
            title: 'Idle runners (idle-no-job-runner): capacity',
            columns: ['runner', 'set'],
            rows: idle.slice(0, tableRowsMax),
          },
        ]),
  ]
}

function setRow(view: SetView, fleet: FleetView): readonly string[] {
  const { set, listeners, generations, newest, runners, holders } = view
  const busy = runners.filter((runner) => occupationOf(runner, view, fleet) === 'busy').length
  const release = set.isSingleSetLayout ? `after ${set.version}` : (set.version ?? 'unknown')
  return [
    `${set.namespace}/${set.name}`,
    release,
    kindsOf(listeners),
    String(generations.length),
    newest === null ? 'unknown' : String(newest.replicas),
    String(runners.length),
    String(busy),
    String(holders.filter(({ phase }) => phase === 'Failed').length),
    String(runners.filter(({ deletedAt }) => deletedAt !== null).length),
    set.maxRunners === null ? 'none' : String(set.maxRunners),
  ]
}

function idleRows(view: SetView, fleet: FleetView): readonly (readonly string[])[] {
  return view.holders
    .filter((runner) => runner.isReady && forgeRunnerOf(runner, fleet)?.isOnline === true)
    .filter((runner) => occupationOf(runner, view, fleet) === 'free')
    .map((runner) => [runner.name, `${view.set.namespace}/${view.set.name}`])
}
