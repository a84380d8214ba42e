import { afterAll, beforeAll } from 'vitest'
import { createGiteaFacts } from '../../../src/adapters/gitea/index.ts'
import { forgeFactsContract } from '../../contract/forge-facts/index.ts'
import { clock, recordedLog } from '../../support/machine.ts'
import { type RunningGitea, startGitea } from '../server/index.ts'
import { giteaUnderTest } from './gitea-under-test.ts'

let gitea: RunningGitea
beforeAll(async () => {
  gitea = await startGitea()
  await gitea.people.createOrganisation('acme')
})
afterAll(() => gitea?.[Symbol.asyncDispose]())

forgeFactsContract(
  'Gitea',
  async () => {
    const { server, people } = gitea
    const facts = createGiteaFacts({
      url: server.url,
      token: () => people.token,
      clock,
      log: recordedLog(),
    })
    return { ...(await giteaUnderTest(server.url, people)), facts }
  },
  { hasLimit: false },
)
