import { isError } from '../domain/errors/index.ts'
import type { Instant } from '../domain/time.ts'
import type { AuditDeps } from './audit.ts'

/** A runner that has its configuration may be on its way to the forge for so long; then nobody will come. */
const onItsWayMs = 30_000
/** How far back the first look goes. */
const firstLookBackMs = 60 * 60_000

const cursorName = (installation: string) => `unused registrations ${installation}`

/**
 * Takes away registrations whose attempt ended before its runner was seen: the job went elsewhere or was over while
 * the configuration was on its way, and the runner left without having used it. Gives how many were taken away.
 */
export async function removeUnused(deps: AuditDeps, signal: AbortSignal): Promise<number> {
  const { ledger, installation } = deps
  const until = (await ledger.now()) - onItsWayMs
  const since = (await ledger.cursor(cursorName(installation))) ?? until - firstLookBackMs
  let removed = 0
  let cursor = until
  for (const { repository, forgeRunnerName, endedAt } of await ledger.unusedRegistrations(
    installation,
    since,
  )) {
    if (endedAt >= until) break
    const outcome = await remove({ installation, repository }, forgeRunnerName, deps, signal)
    if (outcome === 'removed') removed += 1
    if (outcome === 'unanswered') cursor = Math.min(cursor, endedAt)
  }
  await move(since, cursor, deps)
  return removed
}

/** A runner that came after all is left alone: the rule `runner-without-attempt` has it. */
async function remove(
  scope: { readonly installation: string; readonly repository: string },
  name: string,
  { forge, log }: AuditDeps,
  signal: AbortSignal,
): Promise<'removed' | 'kept' | 'unanswered'> {
  try {
    const runner = await forge.findRunner(scope, name, signal)
    if (runner === null || runner.online || runner.busy) return 'kept'
    if ((await forge.removeRunner(scope, runner.id, signal)) !== 'removed') return 'kept'
  } catch (error) {
    if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
    return 'unanswered'
  }
  log.info({ runner: name, repository: scope.repository }, 'a registration that nobody used was removed')
  return 'removed'
}

async function move(from: Instant, to: Instant, { ledger, installation }: AuditDeps): Promise<void> {
  if (to > from) await ledger.moveCursor(cursorName(installation), to)
}
