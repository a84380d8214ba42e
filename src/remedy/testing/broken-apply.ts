import type { ApplyRecord, ScopedSet } from '../../domain/remedy/managed-apply/index.ts'
import { endedWell } from '../../domain/remedy/managed-apply/index.ts'
import type { TrailEntry } from '../../domain/trail/index.ts'
import type { ApplyDeps } from '../managed-apply/index.ts'
import type { ApplyWorld } from './apply-world.ts'

/** A variant of what a managed apply stands on: the first is right, and each of the others lacks one thing. */
export interface BrokenApply {
  readonly name: string
  deps(deps: ApplyDeps, world: ApplyWorld): ApplyDeps
}

export const rightApply: BrokenApply = { name: 'nothing', deps: (deps) => deps }

export const brokenApplies: readonly BrokenApply[] = [
  { name: 'the record is written after the first patch', deps: lateRecord },
  {
    name: 'the freeze is not noted before it is sent',
    deps: noted((set) => ({ ...set, freeze: isBegun(set) })),
  },
  {
    name: 'a freeze without an answer is taken for one that did not arrive',
    deps: noted((set) => (set.freeze === 'begun' ? { ...set, freeze: 'frozen' } : set)),
  },
  { name: 'the command is noted after its end', deps: lateCommand },
  { name: 'the recorded caps are given back in every case', deps: alwaysRecorded },
  { name: 'the precondition is dropped', deps: anyState },
  { name: 'the trail is written after the act', deps: lateRows },
  { name: 'the caps stay frozen where the command fails', deps: frozenOnFailure },
  { name: 'the forge is not asked', deps: withoutForge },
]

function isBegun({ freeze }: ScopedSet): ScopedSet['freeze'] {
  return freeze === 'begun' ? 'none' : freeze
}

function written(deps: ApplyDeps, change: (record: ApplyRecord) => ApplyRecord | null): ApplyDeps {
  const write: ApplyDeps['records']['write'] = async (record) => {
    const changed = change(record)
    if (changed !== null) await deps.records.write(changed)
  }
  return { ...deps, records: { ...deps.records, write } }
}

function lateRecord(deps: ApplyDeps, world: ApplyWorld): ApplyDeps {
  return written(deps, (record) => (world.caps.landed.length === 0 ? null : record))
}

function noted(change: (set: ScopedSet) => ScopedSet): BrokenApply['deps'] {
  return (deps) => written(deps, (record) => ({ ...record, sets: record.sets.map(change) }))
}

function lateCommand(deps: ApplyDeps): ApplyDeps {
  return written(deps, (record) => (record.state === 'apply' && record.command.end === null ? null : record))
}

function frozenOnFailure(deps: ApplyDeps): ApplyDeps {
  return written(deps, (record) =>
    record.state === 'cap-restore' && !endedWell(record.command.end)
      ? { ...record, state: 'failed' }
      : record,
  )
}

type Patch = ApplyDeps['cluster']['patchCaps']

function patching(deps: ApplyDeps, patchCaps: Patch): ApplyDeps {
  return { ...deps, cluster: { ...deps.cluster, patchCaps } }
}

function alwaysRecorded(deps: ApplyDeps): ApplyDeps {
  const { patchCaps } = deps.cluster
  return patching(deps, (target, caps, signal) =>
    patchCaps(target, caps.mark === null ? { ...caps, maxRunners: 10 } : caps, signal),
  )
}

/** Patches whatever state there is. */
function anyState(deps: ApplyDeps, world: ApplyWorld): ApplyDeps {
  const { patchCaps } = deps.cluster
  return patching(deps, async (target, caps, signal) => {
    const answer = await patchCaps(target, caps, signal)
    if (answer !== 'conflict') return answer
    const { resourceVersion } = world.caps.read()
    return patchCaps({ ...target, resourceVersion }, caps, signal)
  })
}

/** Rows about a set are kept back until the next row. */
function lateRows(deps: ApplyDeps): ApplyDeps {
  const held: TrailEntry[] = []
  return {
    ...deps,
    trail: {
      ...deps.trail,
      async append(entry) {
        if (entry.remedy === 'apply' && entry.subject !== null) {
          held.push(entry)
          return { ...entry, number: 0, previous: '', hash: '' }
        }
        for (const each of held.splice(0)) await deps.trail.append(each)
        return deps.trail.append(entry)
      },
    },
  }
}

function withoutForge(deps: ApplyDeps): ApplyDeps {
  const readRunner: ApplyDeps['forge']['readRunner'] = async (_, name) => ({
    at: deps.clock.now(),
    runner: { id: 1, name, isOnline: true, isBusy: false },
  })
  return { ...deps, forge: { ...deps.forge, readRunner } }
}
