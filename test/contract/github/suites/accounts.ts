import { expect, it } from 'vitest'
import { plainJob } from '../../../../sim/forge/testing/kit.ts'
import type { Bench } from './bench.ts'

const labels = plainJob.labels

/** Organisations, persons and enterprises, their runners and the groups of these. */
export function describeAccounts({ forge, get, status }: Bench): void {
  const order = (path: string, body: object) => forge().calls.send('POST', `/_sim/${path}`, body)
  const mint = (place: string, name: string, group = 1) =>
    forge().calls.send('POST', `${place}/actions/runners/generate-jitconfig`, {
      name,
      labels,
      runner_group_id: group,
    })
  /** The repository of the job that a runner gets; null: it gets none. */
  const served = async (place: string, name: string, group = 1): Promise<string | null> => {
    const minted = await mint(place, name, group)
    expect(minted.status).toBe(201)
    const { session } = (await forge().calls.connect(minted.body.encoded_jit_config, name)).body
    const answer = await forge().calls.send('GET', '/_runner/job', undefined, session)
    return answer.status === 200 ? answer.body.repository : null
  }

  it('about an organisation, and about a person, who is none', async () => {
    await forge().calls.submit()
    await order('owners', { login: 'ada', type: 'User' })
    await forge().calls.submit({ repository: 'ada/notes' })
    expect((await get('/orgs/acme')).body).toMatchObject({ login: 'acme', type: 'Organization' })
    expect(await status('GET', '/orgs/ada')).toBe(404)
    expect(await status('GET', '/orgs/nobody')).toBe(404)
    expect((await get('/repos/ada/notes')).body.owner).toMatchObject({ login: 'ada', type: 'User' })
    expect((await mint('/orgs/ada', 'r-1')).status).toBe(404)
    expect(await served('/repos/ada/notes', 'r-2')).toBe('ada/notes')
  })

  it('about runners of an enterprise, which serve every organisation of it', async () => {
    await forge().calls.submit({ repository: 'other/tools' })
    const place = '/enterprises/simulated'
    const minted = await mint(place, 'r-1')
    expect(minted.status).toBe(201)
    expect((await mint(place, 'r-1')).status).toBe(409)
    expect((await mint(place, 'r-2', 9)).status).toBe(404)
    expect((await mint('/enterprises/none', 'r-2')).status).toBe(404)
    const runners = `${place}/actions/runners`
    expect((await get(runners)).body.total_count).toBe(1)
    expect(await status('GET', '/enterprises/none/actions/runners')).toBe(404)
    expect(await status('GET', `${runners}/${minted.body.runner.id}`)).toBe(200)
    expect(await status('GET', `${runners}/99`)).toBe(404)
    expect(await status('DELETE', `${runners}/${minted.body.runner.id}`)).toBe(204)
    expect(await status('DELETE', `${runners}/${minted.body.runner.id}`)).toBe(404)
    expect(await served(place, 'r-3')).toBe('other/tools')
  })

  it('about an enterprise of some organisations, whose runners serve no other', async () => {
    await order('enterprises', { enterprise: 'umbrella', organizations: ['acme'] })
    await forge().calls.submit({ repository: 'other/tools' })
    expect(await served('/enterprises/umbrella', 'r-1')).toBeNull()
    await forge().calls.submit()
    expect(await served('/enterprises/umbrella', 'r-2')).toBe('acme/shop')
  })

  it('about groups of an enterprise, and the organisations that one is for', async () => {
    await forge().calls.submit()
    const place = '/enterprises/simulated'
    const made = { enterprise: 'simulated', name: 'some', visibility: 'selected', selected: ['other'] }
    const { id } = (await order('runner-groups', made)).body
    const groups = `${place}/actions/runner-groups`
    const names = (body: { runner_groups: { name: string }[] }) => body.runner_groups.map(({ name }) => name)
    expect(names((await get(groups)).body)).toEqual(['Default', 'some'])
    expect(names((await get(`${groups}?visible_to_organization=acme`)).body)).toEqual(['Default'])
    expect(await status('GET', '/enterprises/none/actions/runner-groups')).toBe(404)
    expect((await get(`${groups}/${id}`)).body).toMatchObject({ name: 'some', visibility: 'selected' })
    expect(await status('GET', `${groups}/9`)).toBe(404)
    expect((await get(`${groups}/${id}/organizations`)).body.organizations).toMatchObject([
      { login: 'other' },
    ])
    expect(await status('GET', `${groups}/9/organizations`)).toBe(404)
    expect(await served(place, 'r-1', id)).toBeNull()
    await forge().calls.submit({ repository: 'other/tools' })
    expect(await served(place, 'r-2', id)).toBe('other/tools')
  })

  it('about groups of an organisation: a runner gets no job of a repository that its group excludes', async () => {
    await order('repositories', { repository: 'acme/site' })
    await order('repositories', { repository: 'acme/open', public: true })
    const group = async (name: string, more: object): Promise<number> =>
      (await order('runner-groups', { organization: 'acme', name, ...more })).body.id
    const some = await group('some', { visibility: 'selected', selected: ['acme/site'] })
    const closed = await group('closed', { visibility: 'private' })
    const whole = await group('whole', { visibility: 'all', allowsPublicRepositories: true })
    const groups = '/orgs/acme/actions/runner-groups'
    const repositories = async (id: number) =>
      (await get(`${groups}/${id}/repositories`)).body.repositories.map(
        ({ full_name }: { full_name: string }) => full_name,
      )
    expect(await repositories(some)).toEqual(['acme/site'])
    expect(await repositories(closed)).toEqual(['acme/site'])
    expect(await repositories(whole)).toEqual(['acme/site', 'acme/open'])
    expect(await status('GET', `${groups}/99/repositories`)).toBe(404)
    expect((await get(`${groups}/${some}`)).body).toMatchObject({
      id: some,
      allows_public_repositories: false,
    })
    expect(await status('GET', `${groups}/99`)).toBe(404)
    const visible = (await get(`${groups}?visible_to_repository=open`)).body.runner_groups
    expect(visible.map(({ name }: { name: string }) => name)).toEqual(['Default', 'whole'])

    await forge().calls.submit()
    const id = await forge().calls.submit({ repository: 'acme/open' })
    expect(await served('/orgs/acme', 'r-1', some)).toBeNull()
    expect(await served('/orgs/acme', 'r-2', closed)).toBe('acme/shop')
    expect(await served('/orgs/acme', 'r-3', closed)).toBeNull()
    expect(await served('/orgs/acme', 'r-4', whole)).toBe('acme/open')
    const job = (await get(`/repos/acme/open/actions/jobs/${id}`)).body
    expect(job).toMatchObject({ runner_group_id: whole, runner_group_name: 'whole' })
    expect((await get('/orgs/acme/actions/runners?name=r-1')).body.runners[0].runner_group_id).toBe(some)
  })

  it('about a group that is full, until it is no more', async () => {
    await forge().calls.submit()
    await order('runner-groups', { organization: 'acme', name: 'Default', runnersMax: 1 })
    const first = await mint('/orgs/acme', 'r-1')
    expect((await mint('/orgs/acme', 'r-2')).body).toMatchObject({
      message: 'Invalid Argument - Runner group 1 has reached max limit of 1 runners.',
      status: '422',
    })
    await status('DELETE', `/orgs/acme/actions/runners/${first.body.runner.id}`)
    expect((await mint('/orgs/acme', 'r-2')).status).toBe(201)
    await order('runner-groups', { repository: 'acme/shop', name: 'Default', runnersMax: 0 })
    expect((await mint('/repos/acme/shop', 'r-3')).status).toBe(422)
    expect((await order('runner-groups', { repository: 'acme/shop', name: 'some' })).status).toBe(422)
    expect((await order('runner-groups', { name: 'some' })).status).toBe(422)
    expect((await order('runner-groups', { organization: 'nobody', name: 'some' })).status).toBe(404)
  })

  it('under the paths of a GitHub Enterprise Server too, also in the links between pages', async () => {
    for (const name of ['one', 'two']) await forge().calls.submit({ name })
    const { body, headers } = await get('/api/v3/repos/acme/shop/actions/runs?per_page=1')
    expect(body.total_count).toBe(2)
    expect(headers.get('link')).toContain(`<${forge().server.url}/api/v3/repos/acme/shop/actions/runs?`)
    expect(await status('GET', '/api/v3/rate_limit')).toBe(200)
    expect(await status('GET', '/api/v3/repos/acme/none')).toBe(404)
  })
}
