import { isError } from '../domain/errors/index.ts'
import type { Instant } from '../domain/time.ts'
import type { AuditDeps } from './audit.ts'

/** A runner that has its configuration may be on its way to the forge for so long; then nobody will come. */
const onItsWayMs = 30_000
/** How far back the first look goes. */
const firstLookBackMs = 60 * 60_000

/** So many questions without an answer end it: the forge is not well, and the next audit asks again. */
const unansweredMax = 5
/** One that always fails holds the cursor for so long; by then the forge has forgotten its registration. */
const heldMsMax = 24 * 60 * 60_000

const cursorName = (installation: string) => `unused registrations ${installation}`

/**
 * Takes away registrations whose attempt ended before its runner was seen: the job went elsewhere or was over while
 * the configuration was on its way, and the runner left without having used it. Gives how many were taken away.
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

/** A runner that came after all is left alone: the rule `runner-without-attempt` has it. */
async function remove(
  scope: { readonly installation: string; readonly repository: string },
  name: string,
  { forge, log, memory, metrics }: AuditDeps,
  signal: AbortSignal,
): Promise<'removed' | 'kept' | 'unanswered' | 'failed'> {
  const key = nameOf({ forgeRunnerName: name })
  try {
    const runner = await forge.findRunner(scope, name, signal)
    memory.unanswered.answered(key)
    if (runner === null || runner.online || runner.busy) return 'kept'
    if ((await forge.removeRunner(scope, runner.id, signal)) !== 'removed') return 'kept'
  } catch (error) {
    if (signal.aborted) throw error
    memory.unanswered.failed(key)
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
