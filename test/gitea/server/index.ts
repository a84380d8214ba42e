import { temporaryFolder } from '../../support/temporary.ts'
import { meetPeople, type People } from '../people.ts'
import { buildGitea, type GiteaRelease } from './build.ts'
import { type GiteaServer, prepareGitea } from './start.ts'

export { type BuiltGitea, buildGitea, type GiteaRelease, giteaReleases } from './build.ts'
export { type GiteaServer, prepareGitea } from './start.ts'

/** The environment variable that names the release for the suite's test processes. */
export const releaseVariable = 'HOLDFAST_TEST_GITEA_RELEASE'

export function releaseUnderTest(): GiteaRelease {
  return (process.env[releaseVariable] ?? '1.26') as GiteaRelease
}

export interface RunningGitea extends AsyncDisposable {
  readonly server: GiteaServer
  readonly people: People
}

/** A fresh Gitea in a folder of its own, with its administrator. Which release, the suite says. */
export async function startGitea(): Promise<RunningGitea> {
  const built = await buildGitea(releaseUnderTest(), console.log)
  const folder = await temporaryFolder('holdfast-gitea-')
  const server = await prepareGitea(built, folder.path)
  const stop = async (): Promise<void> => {
    await server.stop()
    await folder[Symbol.asyncDispose]()
  }
  try {
    await server.start()
    return { server, people: await meetPeople(server), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}
