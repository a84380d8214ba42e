import { HoldfastError, isError } from '../../../../domain/errors/index.ts'
import type { ClusterWriter } from '../../../../ports/cluster.ts'
import type { Term } from '../../../../ports/leadership.ts'
import { nameOf } from '../transport/request.ts'
import type { Transport } from '../transport/send.ts'
import { createWriter } from './writer.ts'

/**
 * A writer for one term and no other. Whether the term still runs is asked when a write begins, and again in the
 * same breath in which its first byte goes out; what is on its way when the term ends is broken off.
 */
export function fencedWriter(transport: Transport, term: Term): ClusterWriter {
  return createWriter({
    ...transport,
    async send(request, signal) {
      term.check()
      let wasSent = false
      const beforeSend = (): void => {
        term.check()
        wasSent = true
      }
      try {
        return await transport.send({ ...request, beforeSend }, AbortSignal.any([signal, term.signal]))
      } catch (error) {
        if (!wasSent || signal.aborted || !isError(error, 'E_CLUSTER_NOT_LEADER')) throw error
        const params = { call: nameOf(request), reason: 'our term ended meanwhile', outcomeUnknown: true }
        throw new HoldfastError('E_CLUSTER_UNREACHABLE', params, error)
      }
    },
  })
}
