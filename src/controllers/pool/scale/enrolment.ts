import { isError } from '../../../domain/errors/index.ts'
import type { Pool } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Cause, Leader, NewRunner, RunnerLedger } from '../../../ports/ledger.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import type { PendingStart } from '../provision/index.ts'

export interface EnrolmentDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ledger: RunnerLedger
  readonly host: Pick<RunnerHost, 'id'>
  /** Null where runners prove their identity by their host. */
  readonly secrets: Secrets | null
  /** The leader's fencing token for enrolments; null where there is only one process. */
  readonly leader: () => Leader | null
}

interface Draft {
  readonly row: NewRunner
  readonly secret: string
  /** No later than the time of its row. */
  readonly draftedAt: Instant
}

/** Runners that are enrolled in one transaction. */
export const enrolledAtOnceMax = 200
const cause: Cause = { source: 'scale' }

/** Writes the rows of runners before the runners exist: whatever a crash leaves is known, and counts. */
export interface Enrolment {
  /** Fences earlier leaders off: they add nothing to what is counted afterwards. */
  announce(): Promise<'leads' | 'deposed'>
  /** Repeats an enrolment whose answer was lost. */
  repeat(): Promise<readonly PendingStart[] | 'deposed'>
  enrol(
    wanted: readonly { readonly pool: Pool; readonly count: number }[],
  ): Promise<readonly PendingStart[] | 'deposed'>
}

export function createEnrolment(deps: EnrolmentDeps): Enrolment {
  let unsure: readonly Draft[] = []

  async function write(drafts: readonly Draft[]): Promise<readonly PendingStart[] | 'deposed'> {
    if (drafts.length === 0) return []
    unsure = drafts // the same names return the same rows
    const rows = drafts.map(({ row }) => row)
    const enrolled = await deps.ledger.enrolAll(rows, cause, deps.leader()).catch((error: unknown) => {
      if (!isError(error, 'E_LEDGER_UNAVAILABLE')) unsure = [] // it was refused: nothing was written
      throw error
    })
    unsure = []
    if (enrolled.kind === 'deposed') return 'deposed'
    const byName = new Map(enrolled.runners.map((runner) => [runner.name, runner]))
    return drafts.flatMap(({ row, secret, draftedAt }) => {
      const runner = byName.get(row.name)
      // A pool that was retired meanwhile takes none. A name that existed before belongs to another runner, unless it is
      // this row, written when the answer was lost.
      if (runner?.state !== 'booting') return []
      const deadline = draftedAt + row.bootDeadlineMs
      return [{ runner, secret, deadline, freshUntil: draftedAt + row.bootDeadlineMs / 2, mayExist: false }]
    })
  }

  return {
    async announce() {
      unsure = []
      const announced = await deps.ledger.enrolAll([], cause, deps.leader())
      return announced.kind === 'deposed' ? 'deposed' : 'leads'
    },
    repeat: () => write(unsure),
    enrol: (wanted) =>
      write(wanted.flatMap(({ pool, count }) => Array.from({ length: count }, () => draft(pool, deps)))),
  }
}

function draft(pool: Pool, { clock, entropy, host, secrets }: EnrolmentDeps): Draft {
  const suffix = Array.from(entropy.bytes(4), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const { secret, hash } = secrets?.create() ?? { secret: '', hash: null }
  const row = {
    name: `${pool.name}-${suffix}`,
    pool: pool.name,
    host: host.id,
    identityHash: hash,
    bootDeadlineMs: pool.provisioning.startDeadlineMs,
  }
  return { row, secret, draftedAt: clock.now() }
}
