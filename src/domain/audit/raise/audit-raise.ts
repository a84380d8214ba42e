import type { Raise } from '../../capacity/index.ts'
import type { Listing, ScaleSetFact, Snapshot } from '../../snapshot/index.ts'
import type { Audit } from '../audit.ts'
import { burst } from '../burst/index.ts'
import type { Contract } from '../contract/contract.ts'
import { credentials } from '../credentials/index.ts'
import type { Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { unjudgedBy } from '../judging.ts'
import { labelKey } from '../label-load.ts'
import { pending } from '../pending/index.ts'
import { pullSecrets } from '../pull-secrets/index.ts'
import { runAudits } from '../run.ts'
import { runtime } from '../runtime/index.ts'
import { wholeScope } from '../scope.ts'
import { sharedLabels } from '../shared-labels/index.ts'
import { raiseBlockers } from './blockers.ts'
import { concernFilter } from './concern.ts'
import { judgeRaise, type RaiseJudgement } from './judge-raise.ts'

/** The audits whose classes stand against a raise. */
export const raiseAudits: readonly Audit[] = [credentials, pullSecrets, burst, sharedLabels, runtime, pending]

const classes = raiseAudits
  .flatMap((audit) => audit.classes)
  .filter(({ name }) => Object.hasOwn(raiseBlockers, name))

/** The facts by which a raise is judged. */
export interface RaiseFacts {
  readonly snapshot: Snapshot
  /** Its lanes may declare who goes first; null where none was given. */
  readonly contract: Contract | null
}

/** Runs the audits on one snapshot, narrowed to the scale sets of the labels, and judges the raise by them. */
export function auditRaise(raise: Raise, { snapshot, contract }: RaiseFacts): RaiseJudgement {
  const wanted = new Set(raise.labels.map(labelKey))
  const sets = snapshot.cluster.scaleSets.items.filter(({ runnerLabels }) =>
    runnerLabels.some((label) => wanted.has(labelKey(label))),
  )
  const run = runAudits({
    audits: raiseAudits,
    snapshot,
    earlier: null,
    contract,
    narrowed: { ...wholeScope, labels: writtenLabels(sets, wanted) },
  })
  const isConcerned = concernFilter(sets, snapshot)
  const own = new Set(sets.map(keyOf))
  const unjudged = run.unjudged.filter((each) => each.sets?.some((set) => own.has(set)) ?? true)
  return judgeRaise(raise, {
    findings: run.findings.filter(({ subject }) => isConcerned(subject)),
    unjudged: [...unjudged, ...unjudgedSets(raise, sets), ...unjudgedParts(snapshot)],
  })
}

/** The labels in every way that sets write them: the forge compares them without case. */
function writtenLabels(sets: readonly ScaleSetFact[], wanted: ReadonlySet<string>): readonly string[] {
  return [...new Set(sets.flatMap((set) => set.runnerLabels))].filter((label) => wanted.has(labelKey(label)))
}

function unjudgedSets({ labels }: Raise, sets: readonly ScaleSetFact[]): readonly Unjudged[] {
  const served = new Set(sets.flatMap((set) => set.runnerLabels.map(labelKey)))
  const missing = labels.filter((label) => !served.has(labelKey(label)))
  return missing.length === 0
    ? []
    : allUnjudged(`the snapshot has no scale set of ${missing.join(', ')}`, null)
}

/** Lists that tie pods, runners and listeners to the label: a finding whose tie is missing would be left out. */
function unjudgedParts({ cluster, scope }: Snapshot): readonly Unjudged[] {
  const ties: readonly Listing<unknown>[] = [
    cluster.scaleSets,
    cluster.listeners,
    cluster.runners,
    cluster.pods,
  ]
  const isNarrowed = scope.namespaces !== null || scope.labels !== null || scope.nodes !== null
  return [
    ...ties.flatMap((listing) => unjudgedBy(classes, listing)),
    ...(isNarrowed ? allUnjudged('the snapshot was narrowed', 'a snapshot of the whole fleet') : []),
  ]
}

function allUnjudged(why: string, needs: string | null): readonly Unjudged[] {
  return classes.map(({ name }) => ({ class: name, why, needs }))
}
