import type { RemedyOrder, RemedyReport } from '../../../cli/index.ts'
import type { ClusterPlan, RemedyFacts } from '../../../domain/remedy/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import type { PlanStore } from '../../../ports/plan-store.ts'
import type { Trail } from '../../../ports/trail.ts'
import { applyPlan, type Planned, type RemedyDeps, type Treatment } from '../../../remedy/index.ts'
import { type Base, createBase } from '../../base.ts'
import { openRemedyStore, sha256 } from '../../remedy-store/index.ts'
import { version } from '../../version.ts'
import { operator, unattended } from './actor.ts'
import { readPlan } from './read-plan.ts'

/** The facts of a remedy whose plans can be kept. */
export type StoredFacts = RemedyFacts & { readonly plan: ClusterPlan }

/** One remedy with its sources open. */
export interface OpenedRemedy<F extends StoredFacts> {
  /** The cluster or machine that is connected. */
  readonly site: string
  readonly treatment: Treatment<F>
  plan(deps: RemedyDeps, signal: AbortSignal): Promise<Planned<F>>
}

/** Plans, or applies what was approved: a plan by its hash, or the plan of a run that nobody watches. */
export async function runRemedy<F extends StoredFacts>(
  config: Config,
  order: Pick<RemedyOrder, 'apply' | 'isUnattended'>,
  open: (base: Base, stack: AsyncDisposableStack, trail: Pick<Trail, 'rows'>) => Promise<OpenedRemedy<F>>,
  signal: AbortSignal,
): Promise<RemedyReport> {
  const base = createBase(config)
  const stack = new AsyncDisposableStack()
  try {
    // The trail is opened after the sources: without them nothing is. A treatment reads it when it is asked.
    const opened = await open(base, stack, { rows: () => store.trail.rows() })
    const store = stack.use(await openRemedyStore(base, signal))
    stack.use(await store.lock())
    const { remedy } = opened.treatment
    const deps: RemedyDeps = {
      site: opened.site,
      trail: store.trail,
      clock: base.clock,
      digest: sha256,
      actor: order.isUnattended ? unattended(remedy.name) : operator(),
      program: version,
    }
    const { plan, hash, state } =
      order.apply === null
        ? await planned(opened, store, deps, signal)
        : {
            plan: await readPlan<F['plan']>(store.plans, order.apply, remedy.name),
            hash: order.apply,
            state: 'planned' as const,
          }
    const isApplied = order.apply !== null || (order.isUnattended && state === 'planned')
    const run = isApplied ? await applyPlan(opened.treatment, plan, deps, signal) : null
    const { kind, place, trail } = store
    return { state: run?.state ?? state, plan, hash, run, head: await trail.head(), store: kind, place }
  } finally {
    await stack.disposeAsync()
  }
}

async function planned<F extends StoredFacts>(
  { plan }: OpenedRemedy<F>,
  { plans }: { readonly plans: PlanStore },
  deps: RemedyDeps,
  signal: AbortSignal,
): Promise<Planned<F>> {
  const made = await plan(deps, signal)
  if (made.state === 'planned') await plans.write(made.hash, made.plan)
  return made
}
