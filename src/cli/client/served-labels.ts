import { type ApiPool, poolListSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { isSelfHosted } from '../../domain/job-event/index.ts'
import { hasLabels } from '../../domain/pool/index.ts'
import type { Client } from './client.ts'

/**
 * Whether a pool serves these labels; `waits`: none does yet, and Holdfast tracks the job until one does.
 * Throws E_LABELS_UNSERVED where Holdfast would not track the job.
 */
export async function servedLabels(server: Client, labels: readonly string[]): Promise<'served' | 'waits'> {
  const { pools } = await server.get('/v1/pools', poolListSchema)
  if (pools.some((pool) => hasLabels(pool, labels))) return 'served'
  if (isSelfHosted(labels)) return 'waits'
  throw unservedLabels(labels, pools)
}

/** The error for labels that no pool serves; it lists the labels of each pool. */
function unservedLabels(labels: readonly string[], pools: readonly ApiPool[]): HoldfastError {
  const offered = pools.map(({ name, labels: own }) => `pool ${name} has ${own.join(', ')}`)
  return new HoldfastError('E_LABELS_UNSERVED', {
    labels: labels.join(', '),
    pools: offered.length === 0 ? ['there is no pool at all'] : offered,
  })
}
