import { hostname } from 'node:os'
import {
  applyNetworkPolicy,
  checkAccess,
  createAgentIdentity,
  createCluster,
  createDeclaredPools,
  createPodHost,
  createPodIdentity,
  findConnection,
  readHostId,
} from '../../adapters/kubernetes/index.ts'
import { parseRunnerPool } from '../../api/index.ts'
import type { PodPlan } from '../../domain/pool/index.ts'
import { isLoopbackHost } from '../../http/index.ts'
import { hasRunnerGroups } from '../../platform/config/index.ts'
import type { ClusterWriter } from '../../ports/cluster.ts'
import type { Term } from '../../ports/leadership.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Base } from '../base.ts'
import type { OpenFleet } from './fleet.ts'
import { onceEachTerm } from './once-each-term.ts'
import { notLeading } from './terms.ts'

const identityBytes = 6
const tokenSeconds = 3_600

/** Runners as pods of a cluster, in pools that are declared there. */
export async function openKubernetesFleet(
  base: Base,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<OpenFleet> {
  const { config, clock, entropy, log } = base
  const { fleet, dispatch, http } = config
  const connection = await findConnection({ kubeconfig: fleet.kubeconfig, env: process.env, clock, log })
  const cluster = createCluster({ connection, clock, entropy, log, metrics })
  const namespace = fleet.namespace ?? cluster.namespace
  const serverUrl = (fleet.serverUrl ?? http.publicUrl) as string
  if (isLoopbackHost(http.host) && !isLoopbackHost(new URL(serverUrl).hostname)) {
    log.warn(
      { host: http.host, serverUrl },
      'only this machine reaches Holdfast: set http.host, unless something forwards serverUrl to it',
    )
  }
  const stopping = new AbortController()
  const background: Promise<void>[] = []
  const stop = async () => {
    stopping.abort()
    await Promise.allSettled(background)
    await cluster.close()
  }
  try {
    await checkAccess(cluster, namespace, signal)
    const identity = `${hostname()}-${Buffer.from(entropy.bytes(identityBytes)).toString('hex')}`
    const elector = cluster.elector({ name: fleet.lease, namespace }, identity, fleet.leaseSeconds * 1_000)
    const writer = (): ClusterWriter => {
      const term = elector.term()
      if (term === null) throw notLeading(elector)
      return cluster.writerOf(term)
    }
    const forgeHas = { runnerGroups: hasRunnerGroups(config.forge) }
    const agent = accountOf(config.agent.serviceAccount, namespace)
    const judging = {
      audience: 'holdfast',
      serviceAccount: fleet.serviceAccount,
      allow: fleet.allow,
      reservedAccounts: agent.namespace === namespace ? [agent.name] : [],
    }
    const pools = createDeclaredPools({
      cluster,
      namespace,
      writer,
      judging,
      parse: (name, spec) => parseRunnerPool(name, spec, forgeHas),
      clock,
      log,
      metrics,
      podUid: (runner) => host.uidOf(runner),
      isClosing: () => elector.term()?.closing != null,
    })
    const hostId = await readHostId(cluster, namespace, signal)
    const host = createPodHost({
      cluster,
      writer,
      clock,
      log,
      metrics,
      nodesMayGrow: fleet.nodesMayGrow,
      plan: (pool: string): PodPlan | undefined => pools.plan(pool),
      site: {
        ...judging,
        namespace,
        hostId,
        tokenSeconds,
        pollMs: dispatch.pollMs,
        serverUrl,
        pollerImage: fleet.pollerImage,
      },
    })
    background.push(pools.run(stopping.signal), host.run(stopping.signal), elector.run(stopping.signal))
    const protect = async (term: Term, own: AbortSignal) => {
      // Nothing can be made there any more, and there is nobody left to protect.
      if (term.closing === null)
        await applyNetworkPolicy({ writer: cluster.writerOf(term), namespace, log }, own)
    }
    if (fleet.networkPolicy) background.push(onceEachTerm(elector, protect, stopping.signal))
    await Promise.all([pools.whole(signal), host.whole(signal)])
    return {
      host,
      pools,
      stop,
      endsWithUs: false,
      isolation: null,
      where: `pods of the namespace ${namespace}, which ask for jobs at ${serverUrl}`,
      agents: createAgentIdentity({
        cluster,
        verify: cluster.verifyToken,
        clock,
        audience: 'holdfast',
        serviceAccount: agent,
      }),
      identity: createPodIdentity({
        cluster,
        verify: cluster.verifyToken,
        namespace,
        audience: 'holdfast',
        clock,
        isSeen: host.sees,
      }),
      measure() {
        host.measure()
        pools.measure()
      },
      leads: { lease: `${namespace}/${fleet.lease}`, leadership: elector },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** `name` stands in the namespace of the pools. */
function accountOf(text: string, namespace: string): { readonly namespace: string; readonly name: string } {
  const [first = '', second] = text.split('/')
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second }
}
