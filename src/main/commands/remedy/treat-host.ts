import { hostname } from 'node:os'
import { createHostActs, createLocalHosts, createSshHosts } from '../../../adapters/workdir/index.ts'
import type { HostOrder, HostTreated } from '../../../cli/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { HostPlan, WorkdirPlan } from '../../../domain/remedy/index.ts'
import type { RunnerHost } from '../../../domain/workdir/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import type { RemedyStore } from '../../../ports/remedy-store.ts'
import {
  applyPlan,
  type HostSources,
  planService,
  planWorkdir,
  type RemedyDeps,
  serviceTreatment,
  untilIdle,
  workdirTreatment,
} from '../../../remedy/index.ts'
import { createBase } from '../../base.ts'
import { openRemedyStore, sha256 } from '../../remedy-store/index.ts'
import { version } from '../../version.ts'
import { operator } from './actor.ts'
import { readPlan } from './read-plan.ts'

/** Plans a change to one host, or applies the plan that was approved. */
export async function treatHost(config: Config, order: HostOrder, signal: AbortSignal): Promise<HostTreated> {
  const base = createBase(config)
  const stack = new AsyncDisposableStack()
  try {
    const store = stack.use(await openRemedyStore(base, signal))
    const deps: Opened['deps'] = {
      site: siteOf(order.host),
      ...sourcesOf(order.host, base),
      trail: store.trail,
      clock: base.clock,
      digest: sha256,
      actor: operator(),
      program: version,
    }
    if (order.waitMs > 0) await untilIdle(deps, order.waitMs, signal)
    stack.use(await store.lock())
    const treated = await (order.apply === null
      ? planned(order, { store, deps }, signal)
      : applied(order, order.apply, { store, deps }, signal))
    return { ...treated, head: await store.trail.head(), place: store.place }
  } finally {
    await stack.disposeAsync()
  }
}

interface Opened {
  readonly store: RemedyStore
  readonly deps: RemedyDeps & HostSources
}

type Treated = Omit<HostTreated, 'head' | 'place'>

async function planned({ wish }: HostOrder, { store, deps }: Opened, signal: AbortSignal): Promise<Treated> {
  const made =
    wish.remedy === 'workdir-remediate'
      ? await planWorkdir(wish, deps, signal)
      : await planService(verbOf(wish.remedy), deps, signal)
  if (made.state === 'planned') await store.plans.write(made.hash, made.plan)
  return { ...made, run: null }
}

async function applied(
  { wish, host }: HostOrder,
  hash: string,
  { store, deps }: Opened,
  signal: AbortSignal,
): Promise<Treated> {
  if (wish.remedy === 'workdir-remediate') {
    const plan = await readPlan<WorkdirPlan>(store.plans, hash, wish.remedy)
    assertOf(hash, `${host.name} ${wish.folder}`, `${plan.scope.host} ${plan.scope.folder}`)
    const run = await applyPlan(workdirTreatment(deps), plan, deps, signal)
    return { state: run.state, plan, hash, run }
  }
  const plan = await readPlan<HostPlan>(store.plans, hash, wish.remedy)
  assertOf(hash, host.name, plan.scope.host)
  const run = await applyPlan(serviceTreatment(verbOf(wish.remedy), deps), plan, deps, signal)
  return { state: run.state, plan, hash, run }
}

/** The command names what it changes, and so does the plan. */
function assertOf(hash: string, expected: string, got: string): void {
  if (expected !== got) throw new HoldfastError('E_PLAN_OTHER', { hash, expected, got })
}

function verbOf(remedy: 'host-drain' | 'host-start'): 'start' | 'stop' {
  return remedy === 'host-drain' ? 'stop' : 'start'
}

/** The machine and the root: a host that is declared elsewhere by now is another site. */
function siteOf({ ssh, root }: RunnerHost): string {
  return ssh === null ? `${hostname()}:${root}` : `${ssh.user}@${ssh.address}:${ssh.port}:${root}`
}

function sourcesOf(host: RunnerHost, { clock }: { readonly clock: RemedyDeps['clock'] }): HostSources {
  const deps = { clock, program: 'ssh', env: process.env }
  return {
    host,
    hosts: host.ssh === null ? createLocalHosts(deps) : createSshHosts(deps),
    acts: createHostActs(deps),
  }
}
