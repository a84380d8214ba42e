import {
  type ConditionFact,
  type EventFact,
  isWhole,
  type MachineFact,
  type Snapshot,
} from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'

/** One failure of one host, as often as it was counted. */
export interface HostFailure {
  readonly host: string
  readonly message: string
  readonly count: number
  readonly firstAt: Instant | null
  readonly lastAt: Instant | null
}

const machineKind = /Machine$/
const bringUp = /Bootstrap|Infrastructure/
/** Reasons of a host that comes up as it should. */
const waiting = /^(Waiting|NotYet|Provisioning)/
/** The API server keeps events for an hour; an older one comes from elsewhere and says nothing about now. */
const eventAgeMsMax = 3_600_000

/** Failures of hosts that are not over, by Cluster API's Machines and the events of every kind of machine. */
export function hostFailures({ cluster, takenAt }: Snapshot): readonly HostFailure[] {
  const machines = new Map(cluster.machines.items.map((machine) => [machine.name, machine]))
  const isKnown = isWhole(cluster.machines)
  return [
    ...cluster.machines.items.flatMap(conditionFailures),
    ...cluster.events.items
      .filter((event) => isMachineWarning(event) && takenAt - (event.lastAt ?? takenAt) <= eventAgeMsMax)
      .flatMap((event) => eventFailures(event, machines.get(event.subject.name), isKnown)),
  ]
}

function conditionFailures({ name, conditions }: MachineFact): HostFailure[] {
  return conditions.filter(isFailed).map(({ message, reason, at }) => ({
    host: name,
    message: message ?? reason ?? '',
    count: 1,
    firstAt: at,
    lastAt: at,
  }))
}

function isFailed({ type, status, reason }: ConditionFact): boolean {
  return bringUp.test(type) && status === 'False' && !waiting.test(reason ?? '')
}

function isMachineWarning({ type, subject }: EventFact): boolean {
  return type === 'Warning' && machineKind.test(subject.kind)
}

/** A machine that was not read may have come up since: its events are left out. */
function eventFailures(
  { subject, message, count, firstAt, lastAt }: EventFact,
  machine: MachineFact | undefined,
  areMachinesKnown: boolean,
): HostFailure[] {
  if (machine === undefined && !areMachinesKnown) return []
  if (machine !== undefined && hasComeUpSince(machine, lastAt)) return []
  return [{ host: subject.name, message, count, firstAt, lastAt }]
}

function hasComeUpSince({ conditions }: MachineFact, lastAt: Instant | null): boolean {
  return conditions.some(
    ({ type, status, at }) =>
      bringUp.test(type) && status === 'True' && at !== null && lastAt !== null && at > lastAt,
  )
}
