import {
  createCluster,
  findConnection,
  findLeftovers,
  type Leftovers,
} from '../../../adapters/kubernetes/index.ts'
import type { UninstallOrder, UninstallReport } from '../../../cli/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import { createBase } from '../../base.ts'
import { applyUninstall } from './apply.ts'
import { requireNoLeader } from './lease.ts'
import { planOf } from './plan.ts'

/**
 * Removes everything of ours from a namespace, with or without a leader, a ledger or all rights: says what it would do,
 * or does it. What is not ours is not touched, and what may not be removed stays and is named.
 */
export async function uninstall(
  config: Config,
  order: UninstallOrder,
  signal: AbortSignal,
): Promise<UninstallReport> {
  const base = createBase(config)
  const { clock, entropy, log } = base
  const { kubeconfig, lease, namespace: given } = config.fleet
  const connection = await findConnection({ kubeconfig, env: process.env, clock, log })
  const cluster = createCluster({ connection, clock, entropy, log })
  try {
    const namespace = given ?? cluster.namespace
    const look = (): Promise<Leftovers> => findLeftovers(cluster, { namespace, lease }, signal)
    const found = await look()
    const plan = planOf(found, order)
    const report = { namespace, unseen: found.unseen.map(({ why }) => why) }
    if (!order.isApproved) return { ...report, isDone: false, steps: plan }
    const hasRecords = plan.some(({ needsLedger }) => needsLedger)
    if (hasRecords && config.databaseUrl === undefined && !order.withoutLedger) {
      throw new HoldfastError('E_UNINSTALL_LEDGER', { count: plan.filter((step) => step.needsLedger).length })
    }
    await requireNoLeader(cluster, { namespace, lease }, clock, signal)
    const steps = await applyUninstall({ base, cluster, namespace, look, order }, signal)
    return { ...report, isDone: true, steps }
  } finally {
    await cluster.close()
  }
}
