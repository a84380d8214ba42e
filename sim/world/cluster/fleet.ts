import { HoldfastError } from '../../../src/domain/errors/index.ts'
import { type Pool, poolDefaults } from '../../../src/domain/pool/index.ts'
import type { Identity } from '../../../src/ports/identity.ts'
import type { FleetTwin } from '../fleet.ts'
import type { History } from '../history.ts'
import type { State } from '../ledger/index.ts'
import { call, type Life, type ProcessFaults } from '../life.ts'
import type { Origins } from '../origins.ts'
import type { RunnerWorld } from '../runner.ts'
import { withRules } from '../settings.ts'
import { hashOf } from '../twins.ts'
import { createFleetChecks } from './checks.ts'
import { createCluster } from './cluster.ts'
import { createPodHost } from './host.ts'
import { createKubelets, proofOf } from './kubelet.ts'
import { createLease } from './lease.ts'
import type { Template } from './model.ts'
import { placePods } from './placing.ts'
import { createDeclarations } from './pools.ts'
import { createTroubles } from './troubles.ts'
import { createPodView, type PodView } from './view.ts'

const lease = 'holdfast'
const nodesMin = 2
const nodesMax = 5

const pool: Pool = {
  ...poolDefaults,
  name: 'linux',
  labels: ['self-hosted', 'linux'],
  minWarm: 1,
  maxRunners: 4,
  fairness: { weights: {}, capPerRepository: 3, capPerOwner: null, ageingMs: 30 * 60_000 },
  priorities: [],
  provisioning: { maxStartingPerNode: 2, startDeadlineMs: 40_000, unschedulableDeadlineMs: 60_000 },
  rollout: { maxConcurrentPercent: 50 },
}
/** No job asks for it: its warm runners are there for nothing, and roll, leave and die all the same. */
const spare: Pool = { ...pool, name: 'spare', labels: ['spare'], maxRunners: 2 }

/** A cluster, two processes of Holdfast that share it, and the people who look after it. */
export function createClusterFleet(
  world: RunnerWorld & { readonly history: History },
  rows: Readonly<State>,
  faults: ProcessFaults,
  maxJobMs: number | undefined,
  rules: Origins['rules'],
): FleetTwin {
  const { scheduler, history } = world
  const random = world.random.fork('cluster')
  const ruled = withRules({ ...pool, maxJobMs }, rules)
  const pools = random.chance(0.5) ? ruled : [...ruled, spare]
  const nodes = Array.from(
    { length: nodesMin + random.below(nodesMax - nodesMin + 1) },
    (_, n) => `node-${n}`,
  )
  const checks = createFleetChecks(rows, () => cluster)
  const cluster = createCluster({ scheduler, random: random.fork('api'), history, ...checks.hooks }, nodes)
  placePods(cluster, 2 + random.below(3), scheduler, random.fork('placing'))
  const kubelets = createKubelets(cluster, { ...world, random: random.fork('nodes') })
  const leaseTwin = createLease(cluster, scheduler, random.fork('lease'), history)
  const declarations = createDeclarations(
    ...([cluster, scheduler, random.fork('pools'), history, checks.onReleased] as const),
  )
  const shape = random.chance(0.3) ? 'single' : 'isolated'
  let templates = 0
  const newTemplate = (flaw: Template['flaw']): Template => ({ hash: `t${++templates}`, shape, flaw })
  for (const each of pools) declarations.declare(each, newTemplate('none'))
  const views = new Map<Life, PodView>()
  const open = () => [...views].filter(([life]) => life.alive).map(([, view]) => view)
  const troubles = createTroubles({
    cluster,
    kubelets,
    declarations,
    lease: leaseTwin,
    views: open,
    scheduler,
    history,
    pools,
    random: random.fork('troubles'),
    newTemplate,
    onFall: world.onFall,
  })
  const identity: Identity = {
    provesName: true,
    async of(runner, proof) {
      if (cluster.isOut)
        throw new HoldfastError('E_CLUSTER_UNREACHABLE', {
          call: 'token review',
          reason: 'simulated',
          outcomeUnknown: false,
        })
      const pod = cluster.pods.get(runner)
      return pod !== undefined && proof === proofOf(runner, pod.uid) ? hashOf(proof) : null
    },
  }

  const losing = random.fork('answers')
  const isAnswerLost = () => {
    if (!losing.chance(faults.clusterFails)) return 'no'
    return losing.chance(0.5) ? 'after' : 'before'
  }

  return {
    openFor(life, _slot, lifeDeps) {
      for (const [other, view] of views) if (!other.alive && views.delete(other)) view.close()
      const view = createPodView(cluster, scheduler, random.fork('view'))
      views.set(life, view)
      const leadership = leaseTwin.join(life)
      const mayWrite = () => {
        const term = leadership.term()
        if (term === null)
          throw new HoldfastError('E_CLUSTER_NOT_LEADER', { holder: life.name, reason: 'it does not lead' })
        term.check()
      }
      const onWire = <T>(what: string, effect: () => T, beforeSend: () => void) =>
        call(what, effect, life, lifeDeps, beforeSend) as Promise<T>
      const onStop = (runner: string) => {
        checks.onStop(runner)
        world.onStop(runner)
      }
      const host = createPodHost({
        onWire,
        cluster,
        view,
        scheduler,
        templateOf: declarations.templateOf,
        mayWrite,
        beforeStop: troubles.beforeStop,
        onStop,
        onAvoid: checks.onAvoid,
        isAnswerLost,
      })
      const declared = declarations.seenBy(mayWrite)
      return { host, isRemote: true, identity, declared, leads: { lease, leadership } }
    },
    living: () => new Set([...cluster.pods.keys()].filter(checks.isOurs)),
    begin: troubles.begin,
    calm: troubles.mend,
    isMended: troubles.isMended,
    check: checks.check,
    checkRest: checks.checkRest,
  }
}
