import { HoldfastError } from '../../../domain/errors/index.ts'
import type { OwnerStatus } from '../../../ports/foreign-runner.ts'
import type { WholeObject } from '../client/index.ts'
import { ephemeralRunners, parseAll, parseRunner } from '../snapshot/index.ts'

/** The status of an EphemeralRunner; throws where it is none. */
export function ownerStatusOf(object: WholeObject): OwnerStatus {
  const { items, unread } = parseAll([object], parseRunner, ephemeralRunners.plural)
  const [runner] = items
  if (runner === undefined) {
    throw new HoldfastError('E_CLUSTER_ANSWER', {
      call: 'GET its EphemeralRunner',
      problem: `${unread[0]?.why}`,
    })
  }
  const { name, phase, reason, message, failures, createdAt, deletedAt, job } = runner
  const known = job?.repository
    ? { repository: job.repository, name: job.name ?? 'a job', runId: job.runId }
    : null
  return {
    kind: ephemeralRunners.kind,
    name,
    phase,
    reason,
    message,
    failures,
    createdAt,
    deletedAt,
    job: known,
  }
}
