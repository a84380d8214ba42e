import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGitea, type RunnerScope } from '../../../src/adapters/gitea/index.ts'
import { clock, recordedLog } from '../../support/machine.ts'
import { reached } from '../../support/reached.ts'
import { makeToken } from '../people.ts'
import { type RunningGitea, startGitea } from '../server/index.ts'

const never = new AbortController().signal
const scope = { installation: 'gitea', repository: 'acme/shop' }
const asked = { installation: 'gitea', since: 0, settledRuns: new Set<number>() }
const narrow = ['write:repository', 'read:user']

let gitea: RunningGitea
let jobId: number
beforeAll(async () => {
  gitea = await startGitea()
  await gitea.people.createOrganisation('acme')
  for (const name of ['shop', 'silent']) await gitea.people.createRepository(`acme/${name}`)
  const workflow = { on: 'push', jobs: { build: { 'runs-on': 'linux', steps: [{ run: 'true' }] } } }
  const [job] = await gitea.people.push('acme/shop', 'ci.yml', JSON.stringify(workflow))
  jobId = job?.id as number
})
afterAll(() => gitea?.[Symbol.asyncDispose]())

describe('a token', () => {
  it.each([
    ['repository', narrow],
    ['organisation', [...narrow, 'write:organization']],
    ['instance', [...narrow, 'write:admin']],
  ] as const)(
    'registers, finds and removes runners in the scope of the %s with %j',
    async (where, scopes) => {
      const forge = await forgeWith(await makeToken(gitea.server.url, scopes), where)
      const minted = await forge.mint({ scope, name: `r-${where}`, labels: ['linux'] }, never)
      if (minted.kind !== 'minted') throw new Error(minted.reason)
      const found = await forge.findRunner(scope, `r-${where}`, never)
      expect(found).toEqual({ id: minted.forgeRunnerId, name: `r-${where}`, online: false, busy: false })
      expect(await forge.removeRunner(scope, minted.forgeRunnerId, never)).toBe('removed')
    },
  )

  it('lists the jobs of the repositories that its user administers, without being an administrator’s', async () => {
    const forge = await forgeWith(await makeToken(gitea.server.url, narrow))
    expect((await forge.listJobs(asked, never)).events.map((event) => event.job.forgeJobId)).toEqual([jobId])
  })

  it.each([
    ['that nobody knows', async () => 'f'.repeat(40)],
    ['that may only read', () => makeToken(gitea.server.url, ['read:repository'])],
  ])('%s is refused as a thing that only a person can put right', async (_, make) => {
    const forge = await forgeWith(await make())
    expect(await forge.mint({ scope, name: 'r', labels: [] }, never)).toMatchObject({
      kind: 'refused',
      concerns: 'account',
      incident: 'credentials-refused',
    })
  })
})

describe('a repository without Actions', () => {
  it('is reported as such', async () => {
    await gitea.people.call('PATCH', '/repos/acme/silent', { has_actions: false })
    const forge = await forgeWith(gitea.people.token)
    expect(await forge.unreachable('gitea', reached('acme/shop', 'acme/silent'), never)).toMatchObject([
      { repository: 'acme/silent', incident: 'actions-disabled' },
    ])
  })
})

async function forgeWith(token: string, where: RunnerScope = 'repository') {
  const { forge } = createGitea({
    url: gitea.server.url,
    token: () => token,
    installation: 'gitea',
    scope: where,
    clock,
    webhookSecrets: () => [],
    endedBefore: async () => false,
    log: recordedLog(),
  })
  return forge
}
