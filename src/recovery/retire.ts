import { reasonOf } from '../domain/reason.ts'
import type { InstallationLedger, InstallationRow } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'

export interface RetireDeps {
  readonly ledger: InstallationLedger
  readonly log: Log
}

/** The rows that a retirement closed. */
export interface Retired {
  readonly jobs: number
  readonly deliveries: number
  readonly incidents: number
  /** At most `failuresReportedMax`; the others were closed. */
  readonly failed: readonly { readonly job: number; readonly reason: string }[]
}

/** Jobs that are read at a time. */
const batchMax = 500
const failuresReportedMax = 100

/**
 * Closes everything that is open of an installation, as an operator ordered. Each job by itself: one that cannot be closed
 * keeps no other open.
 */
export async function retireInstallation(
  { name }: Pick<InstallationRow, 'name'>,
  { ledger, log }: RetireDeps,
): Promise<Retired> {
  const failed = new Map<number, string>()
  let jobs = 0
  for (;;) {
    const ids = await ledger.openJobIds(name, batchMax + failed.size)
    const left = ids.filter((id) => !failed.has(id))
    if (left.length === 0) break
    for (const id of left) {
      try {
        if ((await ledger.retireJob(id, { source: 'operator', rule: 'jobs-retire' })) === 'retired') jobs += 1
        else failed.set(id, 'it ended meanwhile')
      } catch (error) {
        failed.set(id, reasonOf(error))
        log.error({ job: id, installation: name, err: error }, 'a job could not be retired')
      }
    }
  }
  const rest = await ledger.retireRest(name)
  log.info({ installation: name, jobs, failed: failed.size, ...rest }, 'an installation was retired')
  const reported = [...failed].slice(0, failuresReportedMax).map(([job, reason]) => ({ job, reason }))
  return { jobs, ...rest, failed: reported }
}
