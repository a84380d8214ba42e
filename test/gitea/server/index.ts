import { temporaryFolder } from '../../support/temporary.ts'
import { meetPeople, type People } from '../people.ts'
import { buildGitea } from './build.ts'
import { type GiteaServer, prepareGitea } from './start.ts'

export { type BuiltGitea, buildGitea } from './build.ts'
export { type GiteaServer, prepareGitea } from './start.ts'

export interface RunningGitea extends AsyncDisposable {
  readonly server: GiteaServer
  readonly people: People
}

/** A fresh Gitea in a folder of its own, with its administrator. */
export async function startGitea(): Promise<RunningGitea> {
  const built = await buildGitea(console.log)
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
