import type { Unreachable } from '../../ports/forge.ts'
import { expectBody, messageOf } from './answers.ts'
import type { Call } from './call.ts'
import { repositoryPath } from './registration-path.ts'
import { repositorySchema } from './schemas.ts'

/** Why the jobs of a repository cannot reach a runner of ours; null: they can. */
export async function whyUnreachable(
  call: Call,
  repository: string,
  signal: AbortSignal,
): Promise<Unreachable | null> {
  const path = repositoryPath(repository)
  const answer = await call.rest('GET', path, signal)
  if (answer.status === 403 || answer.status === 404) {
    const reason = `${answer.status} ${messageOf(answer)}`.trim()
    return { repository, incident: 'repository-not-covered', reason }
  }
  const { has_actions, permissions } = expectBody(answer, 200, repositorySchema, `GET ${path}`)
  if (!has_actions) return { repository, incident: 'actions-disabled', reason: 'its unit Actions is off' }
  if (permissions?.admin === false) {
    const reason = "the token's user does not administer it, and cannot register runners there"
    return { repository, incident: 'repository-not-covered', reason }
  }
  return null
}
