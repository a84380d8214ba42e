import { isError } from '../domain/errors/index.ts'
import type { Instant } from '../domain/time.ts'
import type { AuditDeps } from './audit.ts'

/** How long a runner with a configuration may take to connect; after this it will not come. */
const onItsWayMs = 30_000
/** How far back the first pass looks. */
const firstLookBackMs = 60 * 60_000

/** This many requests without an answer end the pass: the forge has a problem, and the next audit tries again. */
const unansweredMax = 5
/** The longest that a registration that always fails holds the cursor; by then the forge has dropped it. */
const heldMsMax = 24 * 60 * 60_000

const cursorName = (installation: string) => `unused registrations ${installation}`

/**
 * Removes registrations whose attempt ended before its runner connected: the job went elsewhere or ended while the
 * configuration was under way, and the runner left without using it. Returns how many were removed.
 */
export async function removeUnused(deps: AuditDeps, signal: AbortSignal): Promise<number> {
  const { ledger, installation, memory } = deps
  const until = (await ledger.now()) - onItsWayMs
  const since = (await ledger.cursor(cursorName(installation))) ?? until - firstLookBackMs
  const listed = await ledger.unusedRegistrations(installation, since)
  const due = listed.filter(({ endedAt }) => endedAt < until)
  let [removed, unanswered] = [0, 0]
  let cursor = until
  for (const { repository, forgeRunnerName, endedAt } of memory.unanswered.order(due, nameOf)) {
    const outcome =
      unanswered >= unansweredMax
        ? 'not-asked'
        : await remove({ installation, repository }, forgeRunnerName, deps, signal)
    if (outcome === 'removed') removed += 1
    if (outcome === 'unanswered') unanswered += 1
    if (outcome === 'removed' || outcome === 'kept') continue
    cursor = Math.min(cursor, Math.max(endedAt, until - heldMsMax))
  }
  await move(since, cursor, deps)
  return removed
}

const nameOf = ({ forgeRunnerName }: { readonly forgeRunnerName: string }) =>
  `registration ${forgeRunnerName}`

/** Removes the registration; a runner that connected after all is left alone, for the rule `runner-without-attempt`. */
async function remove(
  scope: { readonly installation: string; readonly repository: string },
  name: string,
  { forge, log, memory, metrics }: AuditDeps,
  signal: AbortSignal,
): Promise<'removed' | 'kept' | 'unanswered' | 'failed'> {
  const key = nameOf({ forgeRunnerName: name })
  try {
    const runner = await forge.findRunner(scope, name, signal)
    memory.unanswered.restore(key)
    if (runner === null || runner.online || runner.busy) return 'kept'
    if ((await forge.removeRunner(scope, runner.id, signal)) !== 'removed') return 'kept'
  } catch (error) {
    if (signal.aborted) throw error
    memory.unanswered.demote(key)
    if (isError(error, 'E_FORGE_UNAVAILABLE')) return 'unanswered'
    metrics.count('holdfast_task_failures_total', { task: 'audit' })
    log.error(
      { runner: name, repository: scope.repository, err: error },
      'a registration that nobody used could not be removed; it is tried again',
    )
    return 'failed'
  }
  log.info({ runner: name, repository: scope.repository }, 'a registration that nobody used was removed')
  return 'removed'
}

async function move(from: Instant, to: Instant, { ledger, installation }: AuditDeps): Promise<void> {
  if (to > from) await ledger.moveCursor(cursorName(installation), to)
}
