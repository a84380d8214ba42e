import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  parseAll,
  parseEvent,
  parseListener,
  parsePod,
  parseRunner,
  parseRunnerSet,
  parseScaleSet,
} from '../../src/adapters/kubernetes/snapshot/index.ts'
import type { ForgeFacts, ForgeJobFact, Listing, LogFact, Snapshot } from '../../src/domain/snapshot/index.ts'
import {
  forgeJobFact,
  forgeRunnerFact,
  listed,
  snapshotOf,
  unread,
} from '../../src/domain/snapshot/testing/facts.ts'

/*
 * States that ARC's real controller and listener wrote, in three releases (`head`: after 0.14.2). The kubelet and the
 * forge were imitated; `how` says what was done. Packed by scripts/pack-arc-states.ts.
 */

const folder = join(import.meta.dirname, '../fixtures/arc')

export interface ArcState {
  readonly how: string
  readonly objects: Readonly<Record<string, readonly unknown[]>>
  readonly logs: { readonly controller: readonly string[]; readonly listener: readonly string[] }
  readonly forge: {
    /** In nanoseconds: the end of the dump. */
    readonly now: number
    readonly runners: readonly ImitatedRunner[]
    readonly jobs: readonly ImitatedJob[]
  }
}

interface ImitatedRunner {
  readonly id: number
  readonly name: string
  readonly online: boolean
  readonly busy: boolean
}

interface ImitatedJob {
  readonly id: number
  readonly state: 'queued' | 'assigned' | 'running' | 'completed'
  readonly runner: string
  readonly queued: string
  readonly started: string
  readonly done: string
}

/** All states of all releases, as `release/state`. */
export function arcStates(): readonly string[] {
  return readdirSync(folder).flatMap((release) =>
    readdirSync(join(folder, release)).map((file) => `${release}/${file.replace('.json.gz', '')}`),
  )
}

/** A state as it was written. */
export function arcState(state: string): ArcState {
  return JSON.parse(gunzipSync(readFileSync(join(folder, `${state}.json.gz`))).toString())
}

/** A state as a snapshot; without the forge, nothing of it was read. */
export function arcSnapshot(state: string, { withForge }: { readonly withForge: boolean }): Snapshot {
  const { objects, logs, forge } = arcState(state)
  const takenAt = Math.ceil(forge.now / 1e6)
  const listeners = parsed(objects, 'autoscalinglisteners', parseListener)
  return snapshotOf({
    cluster: {
      scaleSets: parsed(objects, 'autoscalingrunnersets', parseScaleSet),
      listeners,
      runnerSets: parsed(objects, 'ephemeralrunnersets', parseRunnerSet),
      runners: parsed(objects, 'ephemeralrunners', parseRunner),
      pods: parsed(objects, 'pods', parsePod),
      events: parsed(objects, 'events', parseEvent),
      logs: listed([
        logFact('controller', { namespace: 'arc-systems', name: 'arc-controller' }, logs.controller),
        ...listeners.items.map((listener) => logFact('listener', listener, logs.listener)),
      ]),
    },
    forge: withForge ? forgeFacts(forge) : { runners: unread('runners'), jobs: unread('jobs') },
    snapshot: { takenAt },
  })
}

function parsed<T>(
  objects: ArcState['objects'],
  kind: string,
  parse: Parameters<typeof parseAll<T>>[1],
): Listing<T> {
  const { items, unread: parts } = parseAll(objects[kind] ?? [], parse, kind)
  return { ...listed(items), unread: parts }
}

function logFact(role: LogFact['role'], pod: LogFact['pod'], lines: readonly string[]): LogFact {
  return { pod: { namespace: pod.namespace, name: pod.name }, container: role, role, lines, isCut: true }
}

/** A job that is assigned to a set has no runner yet: GitHub's list of jobs calls it queued. */
export const jobStatuses = {
  queued: 'queued',
  assigned: 'queued',
  running: 'in_progress',
  completed: 'completed',
} as const

function forgeFacts({ runners, jobs }: ArcState['forge']): Partial<ForgeFacts> {
  return {
    runners: listed(
      runners.map(({ id, name, online, busy }) =>
        forgeRunnerFact(name, { id, scope: 'bench', isOnline: online, isBusy: busy, labels: ['arc-demo'] }),
      ),
    ),
    jobs: listed(jobs.map(jobFact)),
  }
}

function jobFact({ id, state, runner, queued, started, done }: ImitatedJob): ForgeJobFact {
  return forgeJobFact(id, {
    repository: 'bench/demo',
    status: jobStatuses[state],
    labels: ['arc-demo'],
    runnerName: runner === '' ? null : runner,
    queuedAt: timeOf(queued),
    startedAt: timeOf(started),
    completedAt: timeOf(done),
  })
}

/** The imitated forge writes the year 1 for never. */
export function timeOf(text: string): number | null {
  const at = Date.parse(text)
  return at > 0 ? at : null
}
