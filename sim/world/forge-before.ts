import type { JobEvent } from '../../src/domain/job-event/index.ts'
import type { Log } from '../../src/ports/log.ts'
import { retireInstallation } from '../../src/recovery/index.ts'
import type { MemoryLedger } from './ledger/index.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { plainVault } from './twins.ts'

/** The installation that was served before this history begins. */
export const installationBefore = 'before'

/** Far from the numbers of the forge that is served now. */
const firstJobId = 900_001
const stages = ['queued', 'claimed', 'minted', 'delivered'] as const
const deadlineMs = 60_000
/** When a person closes what is left of it. */
const retiredMs = { from: 60_000, to: 40 * 60_000 } as const
const retriedMs = 60_000

/**
 * Somebody changed the forge on the same ledger: jobs of the one before are left at every stage, with runners that
 * are gone. They must keep no other job waiting, and nobody may ask the new forge about them. In the end a person
 * retires them.
 */
export async function leaveForgeBefore(
  ledger: MemoryLedger,
  pool: string,
  random: Random,
  scheduler: Scheduler,
): Promise<void> {
  const cause = { source: 'operator' } as const
  for (const [place, stage] of stages.entries()) {
    await ledger.applyJobEvent(jobEventOf(firstJobId + place), cause)
    if (stage === 'queued') continue
    const row = { name: `${pool}-before-${place}`, pool, host: 'host-0', identityHash: 'before' }
    const runner = await ledger.enrol({ ...row, bootDeadlineMs: deadlineMs }, cause)
    await ledger.polled(runner.id)
    const handle = `${String(place).padStart(8, '0')}-0000-4000-8000-00000000beef`
    await ledger.claim(runner, handle, deadlineMs)
    if (stage === 'claimed') continue
    await ledger.minted(handle, firstJobId + place, plainVault.seal('before', handle), deadlineMs)
    if (stage === 'delivered') await ledger.deliver(handle, deadlineMs)
  }
  retireSoon(random.between(retiredMs.from, retiredMs.to))

  /** An installation with rows of a newer version cannot be closed: the user gets an error, and tries again. */
  function retireSoon(inMs: number): void {
    scheduler.after(inMs, async () => {
      const { failed } = await retireInstallation({ name: installationBefore }, { ledger, log: noLog })
      if (failed.length > 0) retireSoon(retriedMs)
    })
  }
}

const noLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => noLog }

function jobEventOf(forgeJobId: number): JobEvent {
  const job = { installation: installationBefore, forgeJobId, runId: forgeJobId, runAttempt: 1 }
  return {
    job: {
      ...job,
      visibility: 'private',
      isFork: false,
      repository: 'acme/before',
      name: 'build',
      labels: ['self-hosted', 'linux'],
    },
    status: 'queued',
    runnerName: null,
    conclusion: null,
    queuedAt: null,
    startedAt: null,
    completedAt: null,
  }
}
