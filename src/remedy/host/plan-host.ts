import { reasonOf } from '../../domain/reason.ts'
import {
  drainRechecks,
  failedOf,
  type GateResult,
  type HostFacts,
  type HostLook,
  judgeGates,
  masked,
  plannedFolder,
  plannedHost,
  processesOf,
  startRechecks,
  type WorkdirFacts,
  workdirRechecks,
} from '../../domain/remedy/index.ts'
import type { FolderMode } from '../../domain/workdir/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { type HostSources, lookAt } from './look.ts'
import { serviceTreatment } from './service-treatment.ts'
import { workdirTreatment } from './workdir-treatment.ts'

type PlanDeps = RemedyDeps & HostSources

/** Plans to empty or to unlock the folder of one repository; nothing is planned where any gate fails. */
export async function planWorkdir(
  { folder, mode }: { readonly folder: string; readonly mode: FolderMode },
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<Planned<WorkdirFacts>> {
  const { host, digest, clock } = deps
  const scope = { host: host.name, folder }
  const began = clock.now()
  const { look, gates } = await opened(deps, signal)
  const planned = look === null ? null : plannedFolder(look, folder, mode, digest)
  const place = { namespace: host.name, name: folder }
  if (look !== null && planned === null)
    gates.push(failed('folder-known', `there is no folder ${folder} in ${host.root}/${host.workFolder}`))
  const judged = look === null || planned === null ? [] : judgeGates(workdirRechecks, { ...look, planned })
  const isClean = look !== null && planned !== null && isInOrder(look, folder)
  const candidates = isClean
    ? { gates, objects: [], skipped: [{ ...place, why: 'it is in order' }] }
    : { gates: [...gates, ...judged], objects: allPassed(judged, planned), skipped: [] }
  return planRemedy(workdirTreatment(deps), { began, scope, ...candidates }, deps, signal)
}

/** Plans to stop the service of an idle runner, or to start that of a drained one in order. */
export async function planService(
  verb: 'start' | 'stop',
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<Planned<HostFacts>> {
  const { host, clock } = deps
  const began = clock.now()
  const { look, gates } = await opened(deps, signal)
  const planned = look === null ? null : plannedHost(look, whyOf[verb])
  if (look !== null && planned === null)
    gates.push(failed('folder-known', `the work folder is ${look.facts.folder.kind}`))
  const rechecks = verb === 'stop' ? drainRechecks : startRechecks
  const judged = look === null || planned === null ? [] : judgeGates(rechecks, { ...look, planned })
  const isSettled = look !== null && planned !== null && isAlready(verb, look)
  const skipped = [{ namespace: '', name: host.name, why: settledText[verb] }]
  const candidates = isSettled
    ? { gates, objects: [], skipped }
    : { gates: [...gates, ...judged], objects: allPassed(judged, planned), skipped: [] }
  const scope = { host: host.name }
  return planRemedy(serviceTreatment(verb, deps), { began, scope, ...candidates }, deps, signal)
}

const whyOf = { stop: 'its service stops, so that it takes no new job', start: 'its service starts' }
const settledText = { stop: 'it is drained already', start: 'its Listener runs already' }

function isAlready(verb: 'start' | 'stop', look: HostLook): boolean {
  const listeners = processesOf(look, 'listener')
  if (verb === 'start') return listeners.some(({ place }) => place === 'here')
  return look.facts.areProcessesWhole && [...listeners, ...processesOf(look, 'worker')].length === 0
}

/** A host that cannot be looked at is a gate that does not pass. */
async function opened(
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<{ readonly look: HostLook | null; readonly gates: GateResult[] }> {
  try {
    const look = await lookAt(deps, signal)
    const proof = `looked at as uid ${look.facts.readerUid}, ${look.facts.entryCount} entries in its work folder`
    return { look, gates: [{ gate: 'host-reachable', passed: true, proof }] }
  } catch (error) {
    signal.throwIfAborted()
    return { look: null, gates: [failed('host-reachable', reasonOf(error))] }
  }
}

function isInOrder({ facts, judgement }: HostLook, folder: string): boolean {
  const verdict = judgement.folders.find(({ name }) => name === folder)?.verdict
  return facts.cuts.length === 0 && (verdict === 'healthy' || verdict === 'drift')
}

function allPassed<T>(judged: readonly GateResult[], planned: T | null): readonly T[] {
  return planned === null || failedOf(judged).length > 0 ? [] : [planned]
}

function failed(gate: string, proof: string): GateResult {
  return { gate, passed: false, proof: masked(proof) }
}
