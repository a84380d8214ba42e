import type { Purpose } from '../../../ports/budget.ts'
import type { ForgeRunner } from '../../../ports/forge.ts'
import { readAll } from '../pages.ts'
import { runnerSchema } from '../schemas.ts'
import { unavailable } from '../transport/call.ts'
import type { CallAs } from '../transport/call-as.ts'
import { unexpected } from '../transport/expect.ts'
import type { RegistrationTarget } from './registration-targets.ts'

/** The runner of this name at a place. */
export async function findRunner(
  callAs: CallAs,
  { path, identity }: RegistrationTarget,
  name: string,
  purpose: Purpose,
  signal: AbortSignal,
): Promise<ForgeRunner | null> {
  const named = `${path}/actions/runners?name=${encodeURIComponent(name)}`
  const runners = await readAll(callAs(identity, purpose), named, 'runners', runnerSchema, signal)
  const found = runners.find((runner) => runner.name === name)
  if (found === undefined) return null
  return { id: found.id, name, online: found.status === 'online', busy: found.busy }
}

/** Removes a runner, unless it works. */
export async function removeRunner(
  callAs: CallAs,
  { path, identity }: RegistrationTarget,
  id: number,
  purpose: Purpose,
  signal: AbortSignal,
): Promise<'removed' | 'absent' | 'busy'> {
  const call = callAs(identity, purpose)
  const runners = `${path}/actions/runners`
  const answer = await call('DELETE', `${runners}/${id}`, signal)
  if (answer.status === 204) return 'removed'
  if (answer.status === 422) return 'busy'
  if (answer.status !== 404) throw unexpected(answer, `DELETE ${runners}/${id}`)
  // GitHub answers 404 also where it denies access: only a readable list proves that a runner is not in it.
  const { status } = await call('GET', `${runners}?per_page=1`, signal)
  if (status === 200) return 'absent'
  throw unavailable(`DELETE ${runners}/${id}`, `it answered 404, and ${status} for the list of runners`)
}
