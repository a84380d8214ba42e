import { isError } from '../../../domain/errors/index.ts'
import { reasonOf } from '../../../domain/reason.ts'
import { type Coverage, type Places, wholeInstance } from '../../forge-facts/index.ts'
import { readArray } from '../answers.ts'
import type { Call } from '../call.ts'
import { isAdministrator, managedRepositories } from '../list-jobs.ts'
import { organisationSchema } from '../schemas.ts'

/** The whole instance for an administrator's token, else the repositories and organisations of its user. */
export async function readCoverage(call: Call, signal: AbortSignal): Promise<Coverage> {
  if (await isAdministrator(call, signal)) {
    const instance = { places: [wholeInstance], refused: [] }
    return { repositories: instance, runnerScopes: instance }
  }
  const repositories = await managedRepositories(call, signal)
  const organisations = await readOrganisations(call, signal)
  return {
    repositories: { places: repositories, refused: [] },
    runnerScopes: {
      places: [...organisations.places, ...repositories],
      refused: [
        ...organisations.refused,
        // Runners of the instance serve every repository, and nobody else is shown them.
        { place: wholeInstance, why: 'only an administrator sees the runners of the instance' },
      ],
    },
  }
}

async function readOrganisations(call: Call, signal: AbortSignal): Promise<Places> {
  try {
    const found = await readArray(call, '/user/orgs', organisationSchema, signal)
    return { places: found.map(({ username }) => username), refused: [] }
  } catch (error) {
    signal.throwIfAborted()
    if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
    return { places: [], refused: [{ place: 'organisations', why: reasonOf(error) }] }
  }
}
