import type { ProbeReport, ProbeWish } from '../../../cli/index.ts'
import type { ProbeCleanPlan, ProbePlan } from '../../../domain/remedy/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import type { RemedyStore } from '../../../ports/remedy-store.ts'
import {
  applyPlan,
  applyProbe,
  type ProbeDeps,
  planProbe,
  planProbeClean,
  probeCleanTreatment,
} from '../../../remedy/index.ts'
import { createBase } from '../../base.ts'
import { openRemedyStore, sha256 } from '../../remedy-store/index.ts'
import { version } from '../../version.ts'
import { operator } from './actor.ts'
import { readPlan } from './read-plan.ts'
import { openProbes } from './sources.ts'

const idBytes = 8

/** Plans a probe, or applies the plan that was approved; the same for the removal of pods that probes left. */
export async function probe(config: Config, order: ProbeWish, signal: AbortSignal): Promise<ProbeReport> {
  const base = createBase(config)
  const stack = new AsyncDisposableStack()
  try {
    const { site, probes } = await openProbes(base, order, stack)
    const store = stack.use(await openRemedyStore(base, signal))
    stack.use(await store.lock())
    const deps: ProbeDeps = {
      site,
      probes,
      trail: store.trail,
      clock: base.clock,
      digest: sha256,
      actor: operator(),
      program: version,
      keep: (hash, plan) => store.plans.write(hash, plan),
      deadline: (ms) => AbortSignal.timeout(ms),
    }
    const probeId = Buffer.from(base.entropy.bytes(idBytes)).toString('hex')
    const { act } = order
    const done = await ('plan' in act
      ? planned(act, probeId, { store, deps }, signal)
      : applied(act, { store, deps }, signal))
    return { ...done, head: await store.trail.head(), place: store.place }
  } finally {
    await stack.disposeAsync()
  }
}

interface Opened {
  readonly store: RemedyStore
  readonly deps: ProbeDeps
}

type Done = Omit<ProbeReport, 'head' | 'place'>
type ToPlan = Extract<ProbeWish['act'], { readonly plan: unknown }>
type ToApply = Exclude<ProbeWish['act'], ToPlan>

async function planned(
  act: ToPlan,
  probeId: string,
  { store, deps }: Opened,
  signal: AbortSignal,
): Promise<Done> {
  const made =
    act.plan === 'clean'
      ? await planProbeClean({ namespaces: act.namespaces, probeId: null }, deps, signal)
      : await planProbe({ kind: act.plan, scope: act.scope, probeId }, deps, signal)
  if (made.state === 'planned') await store.plans.write(made.hash, made.plan)
  return { ...made, run: null, verdict: null, isPodGone: true }
}

async function applied(
  { apply: hash, of }: ToApply,
  { store, deps }: Opened,
  signal: AbortSignal,
): Promise<Done> {
  if (of === 'clean') {
    const plan = await readPlan<ProbeCleanPlan>(store.plans, hash, 'probe-clean')
    const run = await applyPlan(probeCleanTreatment(deps), plan, deps, signal)
    return { state: run.state, plan, hash, run, verdict: null, isPodGone: run.state === 'done' }
  }
  const plan = await readPlan<ProbePlan>(store.plans, hash, `probe-${of}`)
  const end = await applyProbe(of, plan, deps, signal)
  return { state: end.run.state, plan, hash, ...end }
}
