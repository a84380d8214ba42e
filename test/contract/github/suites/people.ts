import { expect, it } from 'vitest'
import { startReceiver, token } from '../../../../sim/forge/testing/kit.ts'
import { clock } from '../../../support/machine.ts'
import { untilTestEnds } from '../../../support/until-test-ends.ts'
import { assertion } from '../assertion.ts'
import { installation } from '../forge.ts'
import type { Bench } from './bench.ts'

const repo = '/repos/acme/shop'
const mint = `${repo}/actions/runners/generate-jitconfig`
const order = { name: 'r-1', runner_group_id: 1, labels: ['linux'] }

/** Decisions of people about the App and about repositories, which only people take back. */
export function describePeople({ forge, get, status }: Bench): void {
  const decide = (path: string, body: object) => forge().calls.send('POST', `/_sim/${path}`, body)
  const lift = () => forge().calls.send('DELETE', '/_sim/refusals')
  const appToken = () => assertion(clock.now())
  const tokenOf = async (id: number): Promise<string> => {
    const path = `/app/installations/${id}/access_tokens`
    return (await forge().calls.send('POST', path, undefined, appToken())).body.token
  }
  const names = (list: readonly { full_name: string }[]) => list.map(({ full_name }) => full_name)

  for (const [what, of, message] of [
    ['runners-disabled', 'acme/shop', 'Repository level self-hosted runners are disabled'],
    ['runners-disabled', 'acme', 'Repository level self-hosted runners are disabled'],
    ['actions-disabled', 'acme/shop', 'GitHub Actions is disabled on this repository'],
    ['ip-not-allowed', 'acme', 'your IP address is not permitted to access this resource'],
    ['not-in-installation', 'acme/shop', 'Resource not accessible by integration'],
  ] as const) {
    it(`about a mint that meets ${what} of ${of}, until somebody lifts it`, async () => {
      await forge().calls.submit()
      await forge().calls.submit({ repository: 'other/tools' })
      await decide('refusals', { what, of })
      const refused = await forge().calls.send('POST', mint, order)
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining(message)])
      expect(await status('POST', mint.replace('acme/shop', 'other/tools'), order)).toBe(201)
      await lift()
      expect(await status('POST', mint, order)).toBe(201)
    })
  }

  it('about runners of an organisation, which no rule for repositories touches', async () => {
    await forge().calls.submit()
    await decide('refusals', { what: 'runners-disabled', of: 'acme' })
    expect(await status('POST', '/orgs/acme/actions/runners/generate-jitconfig', order)).toBe(201)
    await decide('refusals', { what: 'ip-not-allowed', of: 'acme' })
    expect(await status('GET', '/orgs/acme')).toBe(403)
    expect(await status('GET', repo)).toBe(403)
  })

  it('about a repository that leaves the installation: it vanishes, and sends no webhook any more', async () => {
    const receiver = untilTestEnds(await startReceiver())
    await forge().calls.submit({ repository: 'acme/site' })
    await decide('repositories', { repository: 'acme/shop' })
    forge().server.sendWebhooksTo(receiver.url)
    await decide('refusals', { what: 'not-in-installation', of: 'acme/shop' })
    const covered = await get('/installation/repositories', await tokenOf(installation))
    expect(names(covered.body.repositories)).toEqual(['acme/site'])
    expect(await status('GET', '/installation/repositories')).toBe(403)
    expect(names((await get('/user/repos')).body)).toEqual(['acme/site'])
    expect(await status('GET', `${repo}/installation`, undefined, appToken())).toBe(404)
    await forge().calls.submit()
    await forge().calls.submit({ repository: 'acme/site' })
    await receiver.count(2)
    expect(receiver.received.map(({ headers }) => headers['x-github-event']).sort()).toEqual([
      'installation_repositories',
      'workflow_job',
    ])
    expect(receiver.received.map(({ body }) => JSON.parse(body.toString()).repository?.full_name)).toContain(
      'acme/site',
    )
  })

  it('about the repositories of a token, and of no installation', async () => {
    await forge().calls.submit()
    await decide('repositories', { repository: 'other/tools' })
    expect(names((await get('/user/repos?per_page=1')).body)).toEqual(['acme/shop'])
    expect(names((await get('/user/repos?per_page=1&page=2')).body)).toEqual(['other/tools'])
    expect(await status('GET', '/user/repos', undefined, await tokenOf(installation))).toBe(403)
    const found = await get(`${repo}/installation`, appToken())
    expect([found.status, found.body.id]).toEqual([200, installation])
    expect(await status('GET', '/repos/acme/none/installation', undefined, appToken())).toBe(404)
    expect(await status('GET', `${repo}/installation`)).toBe(401)
  })

  it('about several installations, each of which sees its own account alone', async () => {
    await forge().calls.submit()
    await forge().calls.submit({ repository: 'ada/notes' })
    await decide('owners', { login: 'ada', type: 'User' })
    const acme = (await decide('installations', { account: 'acme' })).body.id
    const ada = (await decide('installations', { account: 'ada' })).body.id
    const all = (await get('/app/installations', appToken())).body
    expect(all.map(({ id, target_type }: { id: number; target_type: string }) => [id, target_type])).toEqual([
      [acme, 'Organization'],
      [ada, 'User'],
    ])
    expect(await status('GET', `/app/installations/${installation}`, undefined, appToken())).toBe(404)
    const ofAcme = await tokenOf(acme)
    const ofAda = await tokenOf(ada)
    expect(names((await get('/installation/repositories', ofAda)).body.repositories)).toEqual(['ada/notes'])
    expect(await status('GET', repo, undefined, ofAcme)).toBe(200)
    expect(await status('GET', repo, undefined, ofAda)).toBe(404)
    expect(await status('GET', '/orgs/acme', undefined, ofAda)).toBe(404)
    expect(await status('GET', '/enterprises/simulated/actions/runners', undefined, ofAcme)).toBe(403)
    expect((await get('/repos/ada/notes/installation', appToken())).body.id).toBe(ada)
    await decide('installation', { suspended: true, id: ada })
    expect(await status('GET', '/repos/ada/notes', undefined, ofAda)).toBe(403)
    expect(await status('GET', repo, undefined, ofAcme)).toBe(200)
    await forge().calls.send('DELETE', `/_sim/installations/${acme}`)
    expect(await status('GET', repo, undefined, ofAcme)).toBe(401)
    expect(await status('GET', repo, undefined, token)).toBe(200)
    expect(await status('GET', `/app/installations/${acme}`, undefined, appToken())).toBe(404)
  })

  it('about the App in an enterprise, whose token is for that enterprise alone', async () => {
    await forge().calls.submit()
    await decide('installations', { account: 'acme' })
    const { id } = (await decide('installations', { enterprise: 'simulated' })).body
    const shown = (await get(`/app/installations/${id}`, appToken())).body
    expect(shown).toMatchObject({ target_type: 'Enterprise', account: { slug: 'simulated' } })
    const issued = await tokenOf(id)
    expect(await status('GET', '/enterprises/simulated/actions/runners', undefined, issued)).toBe(200)
    expect(await status('GET', repo, undefined, issued)).toBe(404)
    await decide('enterprises', { enterprise: 'umbrella' })
    expect(await status('GET', '/enterprises/umbrella/actions/runners', undefined, issued)).toBe(403)
  })

  it('about an account whose IP allow list does not know us: its installation can do nothing', async () => {
    await forge().calls.submit()
    const { id } = (await decide('installations', { account: 'acme' })).body
    const ofAcme = await tokenOf(id)
    await decide('refusals', { what: 'ip-not-allowed', of: 'acme' })
    expect(await status('GET', '/installation/repositories', undefined, ofAcme)).toBe(403)
    expect(await status('GET', '/rate_limit', undefined, ofAcme)).toBe(200)
  })
}
