import { afterAll, beforeAll } from 'vitest'
import { forgeContract } from '../../contract/forge/index.ts'
import { type RunningGitea, releaseUnderTest, startGitea } from '../server/index.ts'
import { giteaUnderTest } from './gitea-under-test.ts'

let gitea: RunningGitea
beforeAll(async () => {
  gitea = await startGitea()
  await gitea.people.createOrganisation('acme')
})
afterAll(() => gitea?.[Symbol.asyncDispose]())

forgeContract('Gitea', () => giteaUnderTest(gitea.server.url, gitea.people), {
  sharesConfigurations: true,
  hidesForks: true,
  repeatsNames: true,
  ...(releaseUnderTest() === '1.26' && {
    countsStarts: true as const,
    keepsNewestAttempt: true as const,
  }),
  cannotCancel: true,
  hidesFailedStep: true,
})
