import {
  judgeProbe,
  type ProbeCleanFacts,
  type ProbeCleanPlan,
  type ProbeFacts,
  type ProbeKind,
  type ProbeVerdict,
  probeMarks,
} from '../../domain/remedy/index.ts'
import { applyPlan, type RunReport } from '../apply.ts'
import { attempted } from '../attempted.ts'
import type { RemedyDeps } from '../deps.ts'
import { planProbeClean, probeCleanTreatment } from './clean.ts'
import { type ProbeSources, probeTreatment } from './probe-treatment.ts'

/** An API server that is away for a moment must not be why a pod stays. */
const removalTriesMax = 4
const pauseMs = 5_000
/** An interrupted command still removes its pod; then it ends. */
const removalMaxMs = 120_000

export interface ProbeDeps extends RemedyDeps, ProbeSources {
  /** Keeps the plan of a removal, for readers of the trail. */
  keep(hash: string, plan: ProbeCleanPlan): Promise<void>
  /** Aborts after so long; it does not end with the command's own signal. */
  deadline(ms: number): AbortSignal
}

/** How a probe ended: its run, its answer, and whether its pod is gone. */
export interface ProbeEnd {
  readonly run: RunReport
  /** Null: no pod was made. */
  readonly verdict: ProbeVerdict | null
  readonly isPodGone: boolean
}

/** Removes what earlier probes left there, applies the plan, and removes its pod whatever came of it. */
export async function applyProbe(
  kind: ProbeKind,
  plan: ProbeFacts['plan'],
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<ProbeEnd> {
  const [planned] = plan.objects
  await sweep(plan.scope.set.namespace, null, deps, signal)
  const run = await applyPlan(probeTreatment(kind, deps), plan, deps, signal).catch(
    async (error: unknown) => {
      if (planned !== undefined) await removed(planned, deps, deps.deadline(removalMaxMs))
      throw error
    },
  )
  if (planned === undefined || run.state === 'blocked') return { run, verdict: null, isPodGone: true }
  const patience = deps.deadline(removalMaxMs)
  const read = await attempted(() => deps.probes.readPod(planned, patience))
  const isMade = run.treated.length > 0 || run.state === 'escalated'
  const verdict = isMade && 'value' in read ? judgeProbe(planned, read.value, deps.clock.now()) : null
  return { run, verdict, isPodGone: await removed(planned, deps, patience) }
}

/** One removal through the machine: planned, approved by the probe's own approval, re-checked, verified. */
async function sweep(
  namespace: string,
  probeId: string | null,
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<void> {
  const scope = { namespaces: [namespace], probeId }
  const { state, hash, plan } = await planProbeClean(scope, deps, signal)
  if (state !== 'planned') return
  await deps.keep(hash, plan)
  await applyPlan<ProbeCleanFacts>(probeCleanTreatment(deps), plan, deps, signal)
}

/** Looks and removes until no pod of this probe is left; each try looks again. */
async function removed(
  planned: ProbeFacts['plan']['objects'][number],
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const pod = await attempted(() => deps.probes.readPod(planned, signal))
    if ('value' in pod && (pod.value === null || probeMarks(pod.value)?.id !== planned.probeId)) return true
    if (tries > removalTriesMax || signal.aborted) return false
    if (tries > 1) await deps.clock.sleep(pauseMs, signal).catch(() => {}) // out of patience: the next look is the last
    if ('value' in pod) await sweep(planned.namespace, planned.probeId, deps, signal)
  }
}
